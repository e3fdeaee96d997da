import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeArchive } from './archive.ts'
import { writeChecksums } from './checksums.ts'
import { describedIn, makeProgram, packCli, packNodes, packSdk } from './program.ts'
import { packPython } from './python.ts'
import { repository, run, withFolder } from './run.ts'

/**
 * Builds a release in `dist/release` or the folder in the second argument: the npm package alone (`package`), or also the archive that
 * needs no Node.js, the SDK, the nodes for n8n, the command line, the client in Python, and the checksums of all (`all`).
 */
const [what = 'all', named = join(repository, 'dist', 'release')] = process.argv.slice(2)
if (what !== 'all' && what !== 'package') throw new Error('say "all" or "package", and then the folder of the release')

const release = resolve(named)
await mkdir(release, { recursive: true })
const { name, version } = await describedIn('server')
const files = await withFolder(async folder => {
  // The bill of materials gives the program the name of its folder.
  const program = await emptyIn(folder, name)
  await makeProgram(program)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', release], program)
  const npmPackage = join(release, `${name}-${version}.tgz`)
  if (what === 'package') return [npmPackage]
  return [
    npmPackage,
    await makeArchive(program, npmPackage, release),
    await packSdk(await emptyIn(folder, 'sdk'), release),
    await packNodes(await emptyIn(folder, 'n8n-nodes-crm'), release),
    await packCli(await emptyIn(folder, 'cli'), release),
    ...(await packPython(await emptyIn(folder, 'python'), release)),
  ]
})
await writeChecksums(release, files)
for (const file of files) console.log(file)

async function emptyIn(folder: string, name: string): Promise<string> {
  const made = join(folder, name)
  await mkdir(made)
  return made
}

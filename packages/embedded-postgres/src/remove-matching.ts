import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Removes the files and folders beside `path` whose names begin with its name followed by `suffix`, as far as possible. */
export async function removeMatching(path: string, suffix: string): Promise<void> {
  const beginning = basename(path) + suffix
  const names = (await readdir(dirname(path))).filter(name => name.startsWith(beginning))
  // Leftovers are harmless; one that cannot be removed now is left to the next start.
  await Promise.allSettled(names.map(name => rm(join(dirname(path), name), { recursive: true, force: true })))
}

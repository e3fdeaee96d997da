import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that was written to this long ago belongs to a process that was killed. */
const silentMilliseconds = 3_600_000

/** Removes everything in a folder that was not written to for an hour. Resolves to how much was removed; 0 if the folder does not exist. */
export async function removeLeftBehind(folder: string): Promise<number> {
  const oldest = Date.now() - silentMilliseconds
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    if ((await writtenAt(path)) >= oldest) continue
    await rm(path, { recursive: true, force: true })
    removed += 1
  }
  return removed
}

/** When a file, or the newest file in a folder, was last written to. Ignores what others have removed meanwhile. */
async function writtenAt(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  if (found === null) return Number.POSITIVE_INFINITY
  if (!found.isDirectory()) return found.mtimeMs
  const times = await Promise.all((await readdir(path).catch(() => [])).map(name => writtenAt(join(path, name))))
  return Math.max(found.mtimeMs, ...times)
}

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Nobody works on a file that long without a byte: an older one was left by a process that was killed. */
const silentMilliseconds = 3_600_000

/** Removes what lies in a folder and was not written to for an hour. Resolves to how much that was; 0 without the folder. */
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

/** When a file was written to, or the last one in a folder. What others have removed meanwhile is left to them. */
async function writtenAt(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  if (found === null) return Number.POSITIVE_INFINITY
  if (!found.isDirectory()) return found.mtimeMs
  const times = await Promise.all((await readdir(path).catch(() => [])).map(name => writtenAt(join(path, name))))
  return Math.max(found.mtimeMs, ...times)
}

import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk } from '../../process/support/small-disk.ts'

/** Takes all room of a disk; the function that it gives makes room again. Without a disk of its own nothing is done. */
export async function fillDisk(disk: Disk | null): Promise<() => Promise<void>> {
  if (disk === null) return () => Promise.resolve()
  const path = join(disk.folder, 'filler')
  for (const bytes of [2 ** 20, 2 ** 12]) await appendUntilFull(path, Buffer.alloc(bytes))
  return () => rm(path, { force: true })
}

async function appendUntilFull(path: string, bytes: Buffer): Promise<void> {
  try {
    for (;;) await appendFile(path, bytes)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

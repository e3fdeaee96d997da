import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FileName } from './file-key.ts'
import { FileMissing } from './file-store.ts'
import type { Files } from './files.ts'

/** A copy of a stored file on the disk of this process: workbooks are read with random access, which a bucket does not support. */
export interface LocalCopy {
  readonly path: string
  /** Removes the copy, and everything written beside it. */
  remove(): Promise<void>
}

interface Surroundings {
  readonly files: Files
  /** Creates private folders. */
  readonly spool: { open(): Promise<string> }
}

/** Copies a stored file into a folder of its own; null if the file no longer exists. The caller removes the copy. */
export async function copyLocally(file: FileName, { files, spool }: Surroundings): Promise<LocalCopy | null> {
  const folder = await spool.open()
  const path = join(folder, 'source')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(Readable.from(files.read(file)), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { path, remove }
  } catch (error) {
    await remove()
    if (error instanceof FileMissing) return null
    throw error
  }
}

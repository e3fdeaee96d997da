import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileMissing } from '../../../kernel/files/index.ts'
import type { Services } from '../../../kernel/index.ts'

/** A copy of a stored file on the disk of this process: workbooks are read out of order, and a bucket cannot do that. */
export interface LocalCopy {
  readonly path: string
  remove(): Promise<void>
}

/** Copies the file of an import; null if it is there no more. Whoever copies it removes the copy. */
export async function copyLocally(
  organizationId: string,
  fileId: string | null,
  { files, spool }: Pick<Services, 'files' | 'spool'>,
): Promise<LocalCopy | null> {
  if (fileId === null) return null
  const folder = await spool.open()
  const path = join(folder, 'source')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const bytes = files.read({ organizationId, purpose: 'import', id: fileId })
    await pipeline(Readable.from(bytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { path, remove }
  } catch (error) {
    await remove()
    if (error instanceof FileMissing) return null
    throw error
  }
}

import { FileStoreFailure, type KeptFile, sniffMediaType } from '../../files/index.ts'
import type { UploadedFile } from '../../input/index.ts'
import { limits } from '../../limits/index.ts'
import type { Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import type { FailedFile } from './failed-files.ts'

/** A file that can be stored, and its index among the files of the request. */
export interface FittingFile {
  readonly index: number
  readonly file: UploadedFile & { readonly tooLarge: false }
}

/** The files that can be stored, and those that are too large. */
export function dropFailed(uploaded: readonly UploadedFile[]): {
  readonly fitting: readonly FittingFile[]
  readonly tooLarge: readonly FailedFile[]
} {
  const message = `A file has at most ${limits.attachmentFileBytes} bytes`
  return {
    fitting: uploaded.flatMap((file, index) => (file.tooLarge ? [] : [{ index, file }])),
    tooLarge: uploaded.flatMap((file, index) =>
      file.tooLarge ? [{ index, name: file.fileName, code: 'payload_too_large', message }] : [],
    ),
  }
}

/** Stores the files one after another. Throws `FileStoreFailure` if none could be stored. */
export async function keepFiles(
  fitting: readonly FittingFile[],
  { actor, operation }: Request,
  { files, onFailure }: Pick<Services, 'files' | 'onFailure'>,
): Promise<{ readonly kept: readonly KeptFile[]; readonly failed: readonly FailedFile[] }> {
  const kept: KeptFile[] = []
  const failed: FailedFile[] = []
  for (const { index, file } of fitting) {
    const { path, size, sha256, fileName: name } = file
    const about = { organizationId: actor.organizationId, purpose: 'attachment', name } as const
    try {
      const mediaType = await sniffMediaType(path)
      kept.push(await files.keep({ ...about, mediaType, source: { path, size, sha256 } }))
    } catch (error) {
      const isLast = index === fitting.at(-1)?.index
      if (!(error instanceof FileStoreFailure) || (isLast && kept.length === 0)) throw error
      onFailure(error, { operation: operation.id, requestId: actor.requestId, busy: true })
      const message = 'The file could not be stored now: attach it again'
      failed.push({ index, name, code: 'service_unavailable', message })
    }
  }
  return { kept, failed }
}

import { sendForm } from '../api/index.ts'
import type { Kind } from '../records/kinds.ts'
import { pathOfFiles, type RecordFile, type UnsavedFile } from './record-file.ts'
import type { PortionWay } from './upload-queue.ts'

interface Sending {
  readonly organization: string
  readonly kind: Kind
  readonly record: string
  /** The version that the record must have. */
  readonly version: number
  readonly files: readonly File[]
  readonly key: string
}

/** Sends files to a record in one request. Answers the files that the server did not take; throws as `sendForm`. */
export async function sendFiles(
  { organization, kind, record, version, files, key }: Sending,
  way: PortionWay,
): Promise<readonly UnsavedFile[]> {
  const form = new FormData()
  for (const file of files) form.append('files', file)
  const path = `${pathOfFiles(organization, kind, record)}?expectedVersion=${version}`
  const { meta } = await sendForm<RecordFile[]>(path, form, { ...way, key })
  return failedIn(meta.failed)
}

function failedIn(value: unknown): readonly UnsavedFile[] {
  return Array.isArray(value) ? value : []
}

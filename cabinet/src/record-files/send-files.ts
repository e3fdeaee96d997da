import { type Answer, Failure, readAnswer } from '../api/index.ts'
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

/**
 * Sends files to a record in one request, and tells how far it has come: `fetch` cannot. Answers the
 * files that the server did not take. Throws a `Failure`, also when it was given up while it was sent.
 */
export async function sendFiles(
  { organization, kind, record, version, files, key }: Sending,
  { signal, onProgress }: PortionWay,
): Promise<readonly UnsavedFile[]> {
  // A signal that has been given before tells nobody anything any more.
  signal.throwIfAborted()
  const form = new FormData()
  for (const file of files) form.append('files', file)
  const path = `/cabinet/api${pathOfFiles(organization, kind, record)}?expectedVersion=${version}`
  const { meta } = await new Promise<Answer<RecordFile[]>>((resolve, reject) => {
    const call = new XMLHttpRequest()
    const unreachable = () => reject(new Failure('unreachable', 0, 'The server did not answer', {}, null))
    call.open('POST', path)
    call.setRequestHeader('Accept', 'application/json')
    call.setRequestHeader('X-Crm-Cabinet', '1')
    call.setRequestHeader('Idempotency-Key', key)
    call.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    call.addEventListener('error', unreachable)
    call.addEventListener('abort', unreachable)
    call.addEventListener('load', () => {
      try {
        resolve(readAnswer<RecordFile[]>(call.responseText, call.status, call.getResponseHeader('X-Request-Id')))
      } catch (error) {
        reject(error)
      }
    })
    signal.addEventListener('abort', () => call.abort(), { once: true })
    call.send(form)
  })
  return failedIn(meta.failed)
}

function failedIn(value: unknown): readonly UnsavedFile[] {
  return Array.isArray(value) ? value : []
}

import { type Answer, type Failure, request, requestAnswer } from '../api/index.ts'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'

/** A file of a record. */
export interface RecordFile {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  readonly sizeBytes: number
  /** A link that opens it for some time; absent where the reader may not open files. */
  readonly url?: string
  readonly urlExpiresInSeconds?: number
  readonly createdByUuid?: string | null
  readonly createdAt: string
}

/** A file that was not saved, and why. The code is `not_sent` if sending it was given up. */
export interface UnsavedFile {
  readonly name: string
  readonly code: string
  readonly message: string
  /** Absent if the server has named the file. */
  readonly failure?: Failure
}

/** The path of the files of a record, below the API of the cabinet. */
export function pathOfFiles(organization: string, kind: Kind, record: string): string {
  return `/o/${organization}/crm/${kind}/${record}/files`
}

export function readFiles(
  organization: string,
  kind: Kind,
  record: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Answer<RecordFile[]>> {
  const query = { limit: 50, ...(cursor !== null && { cursor }) }
  return requestAnswer<RecordFile[]>('GET', pathOfFiles(organization, kind, record), { query, signal })
}

/** The version that a record has now. */
export async function readVersion(
  organization: string,
  kind: Kind,
  record: string,
  signal?: AbortSignal,
): Promise<number> {
  const { version } = await request<RecordState>('GET', `/o/${organization}/crm/${kind}/${record}`, { signal })
  return version
}

/** Takes a file away from a record. */
export async function removeFile(organization: string, kind: Kind, record: string, file: string): Promise<void> {
  const expectedVersion = await readVersion(organization, kind, record)
  const path = `${pathOfFiles(organization, kind, record)}/${file}`
  await request('DELETE', path, { query: { expectedVersion }, key: crypto.randomUUID() })
}

/** The link of a file on the host of the page: the policy of the pages lets them read from nowhere else. */
export function linkOf({ url }: RecordFile): string | undefined {
  return url === undefined ? undefined : new URL(url).pathname
}

const shownImages = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** Whether the pages show the file. Others are only downloaded: they could hold what runs. */
export function isShown({ mimeType, url }: RecordFile): boolean {
  return url !== undefined && shownImages.has(mimeType)
}

/** A size as people read it: `820 kB`, `1.4 MB`. */
export function formatSize(bytes: number, locale: string): string {
  const steps = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  const step = Math.min(steps.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: steps[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: step < 2 ? 0 : 1,
  }).format(bytes / 1000 ** step)
}

const most = { files: 10, bytes: 100 * 1024 * 1024 }

/** Files in the portions that one request takes. A file that is larger than a whole portion comes alone: it holds no others. */
export function portionsOf<Item extends { readonly size: number }>(
  files: readonly Item[],
): readonly (readonly Item[])[] {
  const portions: Item[][] = []
  let room = 0
  for (const file of files) {
    const last = portions.at(-1)
    if (last === undefined || last.length === most.files || file.size > room) {
      portions.push([file])
      room = most.bytes - file.size
    } else {
      last.push(file)
      room -= file.size
    }
  }
  return portions
}

/** Why each file of a portion was not saved: what the server says of it, or else the failure of all. Null: sending was given up. */
export function unsavedFiles(
  files: readonly { readonly name: string }[],
  failure: Failure | null,
): readonly UnsavedFile[] {
  return files.map(({ name }, index) => {
    if (failure === null) return { name, code: 'not_sent', message: '' }
    const issue = failure.issues.find(({ path }) => path === `/files/${index}`)
    return issue === undefined
      ? { name, code: failure.code, message: failure.message, failure }
      : { name, code: issue.rule ?? failure.code, message: issue.message }
  })
}

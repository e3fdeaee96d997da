import { createHash, type Hash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import {
  type FileStore,
  type Files,
  fileKey,
  type RecordedFile,
  toRecordedFile,
  type WrittenFile,
} from '../kernel/files/index.ts'
import { beforeAllIds } from '../kernel/schema/index.ts'
import { type LongTransaction, statement } from '../kernel/sql/index.ts'
import { TenantError } from './tenant-error.ts'

// $2 is the id behind which the next files are looked for.
const selectFiles = statement(
  'select_files_of_organization',
  `select f.id, f.purpose, f.name, f.media_type as "mediaType", f.size_bytes as size, f.sha256
     from files f
    where f.organization_id = $1 and f.id > $2
    order by f.id
    limit 500`,
)

const selectFile = statement(
  'select_file_of_organization',
  `select f.id, f.purpose, f.name, f.media_type as "mediaType", f.size_bytes as size, f.sha256
     from files f
    where f.organization_id = $1 and f.id = $2`,
)

/** Writes the bytes of all files of an organization: one line or more for each file, and those of one file together. */
export async function writeBytes(
  file: WrittenFile,
  files: Files,
  transaction: LongTransaction,
  organizationId: string,
): Promise<void> {
  for (let last = beforeAllIds; ; ) {
    const rows = await transaction.query(selectFiles, [organizationId, last])
    if (rows.length === 0) return
    for (const row of rows) {
      last = String(row.id)
      await writeFile(file, files, toRecordedFile(organizationId, row))
    }
  }
}

async function writeFile(file: WrittenFile, files: Files, recorded: RecordedFile): Promise<void> {
  const write = (bytes: Uint8Array) => {
    file.add(`${JSON.stringify({ file: recorded.id, bytes: Buffer.from(bytes).toString('base64') })}\n`)
    return file.flush()
  }
  const hash = createHash('sha256')
  await write(new Uint8Array())
  try {
    for await (const chunk of files.read(recorded)) {
      hash.update(chunk)
      await write(chunk)
    }
  } catch (error) {
    throw new TenantError(`the file ${fileKey(recorded)} cannot be read: see doctor --files`, { cause: error })
  }
  if (hash.digest('hex') !== recorded.sha256)
    throw new TenantError(`the file ${fileKey(recorded)} is not as it was recorded: see doctor --files`)
}

/** Takes the bytes of files of an organization, and stores them under the keys that their rows give them. */
export class ReceivedFiles {
  readonly #store: FileStore
  readonly #transaction: LongTransaction
  readonly #organizationId: string
  readonly #received = new Set<string>()
  #current: Receiving | null = null

  constructor(store: FileStore, transaction: LongTransaction, organizationId: string) {
    this.#store = store
    this.#transaction = transaction
    this.#organizationId = organizationId
  }

  /** Takes the next bytes. Throws a `TenantError` for a file without a row, and for one that is not as its row says. */
  async add(id: string, bytes: Uint8Array): Promise<void> {
    if (this.#current?.file.id !== id) {
      await this.end()
      if (this.#received.has(id)) throw new TenantError(`the file ${id} comes twice`)
      const [row] = await this.#transaction.query(selectFile, [this.#organizationId, id])
      if (row === undefined) throw new TenantError(`the file ${id} has no row`)
      this.#received.add(id)
      this.#current = new Receiving(this.#store, toRecordedFile(this.#organizationId, row))
    }
    await this.#current?.add(bytes)
  }

  /** Completes the last file, and resolves to how many have come. */
  async end(): Promise<number> {
    const current = this.#current
    this.#current = null
    await current?.end()
    return this.#received.size
  }

  /** Ends a file that is not whole. What was stored has no row then, and is removed later. */
  abandon(): void {
    this.#current?.abandon()
  }
}

/** One file on its way into the store. */
class Receiving {
  readonly file: RecordedFile
  readonly #hash: Hash = createHash('sha256')
  readonly #stream = new PassThrough()
  readonly #stored: Promise<void>

  constructor(store: FileStore, file: RecordedFile) {
    this.file = file
    this.#stored = store.put(fileKey(file), { chunks: this.#stream })
    // A failure is told by the next call, and an end before the time by whoever caused it.
    this.#stored.catch(() => this.#stream.resume())
    this.#stream.on('error', () => {})
  }

  async add(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    const taken = new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, error => (error ? reject(error) : resolve()))
    })
    await Promise.race([taken, this.#stored])
  }

  async end(): Promise<void> {
    this.#stream.end()
    await this.#stored
    if (this.#hash.digest('hex') !== this.file.sha256)
      throw new TenantError(`the bytes of the file ${this.file.id} are not those of its row: the file is damaged`)
  }

  abandon(): void {
    this.#stream.destroy(new Error('the import has ended'))
  }
}

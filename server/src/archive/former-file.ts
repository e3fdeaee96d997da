import { createHash } from 'node:crypto'
import { type FileStore, selectFile, toRecordedFile } from '../kernel/files/index.ts'
import { isObject, isUuid, type JsonObject } from '../kernel/schema/index.ts'
import { identifier, knownMigrations, type LongTransaction, type TenantTable } from '../kernel/sql/index.ts'
import { ArchiveError } from './archive-error.ts'
import type { ArchiveSource } from './archive-place.ts'
import { storeFile } from './archived-files.ts'
import { linesIn } from './lines-in.ts'
import { type Manifest, organizationNamed } from './manifest.ts'

const beginning = '{"format":"crm-organization",'

type Line = { readonly number: number; readonly text: string } & (
  | { readonly table: string; readonly row: JsonObject }
  | { readonly file: string; readonly bytes: string }
  | { readonly other: JsonObject }
)

/**
 * The file of an organization that release 0.1.0 has written. Each line is a JSON object: what the file is, then each row with its
 * table, then the bytes of files in base64, those of one file together, and last the number of rows of each table.
 */
export class FormerFile {
  readonly #source: ArchiveSource

  constructor(source: ArchiveSource) {
    this.#source = source
  }

  static async isIn(source: ArchiveSource): Promise<boolean> {
    if (source.size < beginning.length) return false
    const chunks: Uint8Array[] = []
    for await (const chunk of source.read({ start: 0, end: beginning.length - 1 })) chunks.push(chunk)
    return Buffer.concat(chunks).equals(Buffer.from(beginning))
  }

  /** Reads all of it once. Throws an `ArchiveError`, with the number of the line, for what is not as it was written. */
  async verify(): Promise<Manifest> {
    const tables = new Map<string, { rows: number; columns: readonly string[] }>()
    const files = new BytesOfFiles()
    let head: JsonObject | undefined
    let end: JsonObject | undefined
    let number = 0
    for await (const line of this.#lines()) {
      number = line.number
      if (end !== undefined) throw new ArchiveError(`line ${number} stands behind the end of the file`)
      if ('other' in line) {
        if (head === undefined) head = line.other
        else end = line.other
      } else if ('bytes' in line) files.add(line.file, line.bytes)
      else {
        const columns = Object.keys(line.row)
        const { rows, columns: known } = tables.get(line.table) ?? { rows: 0, columns }
        if (columns.join() !== known.join())
          throw new ArchiveError(`line ${number}: the row has other columns than those of ${line.table} before it`)
        tables.set(line.table, { rows: rows + 1, columns })
        if (line.table === 'files') files.expect(String(line.row.id), String(line.row.sha256))
      }
    }
    if (head === undefined || end === undefined)
      throw new ArchiveError(`the file was cut off behind line ${number}: its end is missing`)
    const counted = Object.entries(isObject(end.rows) ? end.rows : {})
    const wrong = [...tables.keys()].find(name => !counted.some(([told]) => told === name))
    if (wrong !== undefined) throw new ArchiveError(`the end of the file does not count the rows of ${wrong}`)
    return {
      ...(await originOf(head)),
      tables: counted.map(([name, count]) => {
        const { rows, columns } = tables.get(name) ?? { rows: 0, columns: [] }
        if (rows !== count)
          throw new ArchiveError(`the file has ${rows} rows of ${name}, and its end counts ${String(count)}`)
        return { name, rows, columns, bytes: 0, sha256: '' }
      }),
      files: files.end(),
    }
  }

  /** Writes all rows, and stores all files. The organization is this one, whatever a row may say. */
  async load(
    transaction: LongTransaction,
    tables: ReadonlyMap<string, TenantTable>,
    organizationId: string,
    store: FileStore,
  ): Promise<void> {
    const lines = this.#lines()
    let next = await lines.next()
    /** The lines from the next one on, as far as they go together. */
    async function* together(isOne: (line: Line) => boolean) {
      for (; next.done !== true && isOne(next.value); next = await lines.next()) yield next.value
    }
    while (next.done !== true) {
      const first = next.value
      if ('other' in first) next = await lines.next()
      else if ('bytes' in first) {
        const [row] = await transaction.query(selectFile, [organizationId, first.file])
        if (row === undefined) throw new ArchiveError(`line ${first.number}: the file ${first.file} has no row`)
        const bytes = bytesIn(together(line => 'bytes' in line && line.file === first.file))
        await storeFile(toRecordedFile(organizationId, row), bytes, store)
      } else {
        const table = tables.get(first.table)
        if (table === undefined)
          throw new ArchiveError(`line ${first.number}: the table ${first.table} is not known here`)
        const rows = copied(together(line => 'row' in line && line.table === first.table))
        await loadRows(transaction, table, organizationId, rows)
      }
    }
  }

  close(): void {}

  async *#lines(): AsyncGenerator<Line, undefined> {
    let number = 0
    for await (const text of linesIn(this.#source.read({ start: 0, end: this.#source.size - 1 }))) {
      number += 1
      yield { number, text, ...contentOf(text, number) }
    }
  }
}

function contentOf(text: string, number: number) {
  const line = parsedLine(text, number)
  if (!isObject(line)) throw new ArchiveError(`line ${number} is no object`)
  const { table, row, file, bytes } = line
  if (typeof table === 'string' && isObject(row)) return { table, row }
  if (typeof file === 'string' && isUuid(file) && typeof bytes === 'string') return { file, bytes }
  const isEnd = isObject(line.rows)
  if (number === 1 || isEnd) return { other: line }
  throw new ArchiveError(`line ${number} is neither a row, nor bytes of a file, nor the end`)
}

function parsedLine(text: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ArchiveError(`line ${number} is not JSON: the file is damaged, or was cut off`)
  }
}

/** What the first line says. */
async function originOf(head: JsonObject) {
  const { formatVersion, product, schema, exportedAt, secretMark } = head
  if (formatVersion !== 1) throw new ArchiveError(`the file has the format ${String(formatVersion)}, and not 1`)
  const known = await knownMigrations()
  const at = known.indexOf(String(schema))
  return {
    product: String(product),
    organization: organizationNamed(head.organization),
    migrations: at < 0 ? [String(schema)] : known.slice(0, at + 1),
    queueRevision: 0,
    snapshotAt: String(exportedAt),
    epoch: 1,
    secretMark: String(secretMark),
    hasSecret: false,
  }
}

/** Compares the bytes of files with their rows. */
class BytesOfFiles {
  readonly #expected = new Map<string, string>()
  #current: { readonly id: string; readonly hash: ReturnType<typeof createHash> } | null = null
  #count = 0

  expect(id: string, sha256: string): void {
    this.#expected.set(id, sha256)
  }

  add(id: string, bytes: string): void {
    if (this.#current?.id !== id) {
      this.#compare()
      this.#current = { id, hash: createHash('sha256') }
      this.#count += 1
    }
    this.#current.hash.update(bytes, 'base64')
  }

  /** How many there were. */
  end(): number {
    this.#compare()
    if (this.#count !== this.#expected.size)
      throw new ArchiveError(`the file has the bytes of ${this.#count} of ${this.#expected.size} files`)
    return this.#count
  }

  #compare(): void {
    const { id, hash } = this.#current ?? {}
    if (id !== undefined && hash?.digest('hex') !== this.#expected.get(id))
      throw new ArchiveError(`the bytes of the file ${id} are not those of its row: the file is damaged`)
  }
}

async function* bytesIn(lines: AsyncIterable<Line>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) if ('bytes' in line) yield Buffer.from(line.bytes, 'base64')
}

/** Lines in the form that `copy` takes. PostgreSQL reads their JSON itself: numbers would lose digits here. */
async function* copied(lines: AsyncIterable<Line>): AsyncGenerator<Uint8Array> {
  for await (const { text } of lines) yield Buffer.from(`${text.replaceAll('\\', '\\\\')}\n`)
}

async function loadRows(
  transaction: LongTransaction,
  { name, columns, identity }: TenantTable,
  organizationId: string,
  rows: AsyncIterable<Uint8Array>,
): Promise<void> {
  const run = (text: string, values: readonly unknown[] = []) => transaction.query({ name: '', text }, values)
  const names = columns.map(identifier)
  const [owner, ownerId] = identity === null ? ['organization_id, ', '$1::uuid, '] : ['', '']
  await run('create temporary table former_rows (line json) on commit drop')
  await transaction.copyIn({ name: '', text: 'copy former_rows from stdin' }, rows)
  await run(
    `insert into ${identifier(name)} (${owner}${names.join(', ')})
     select ${ownerId}${names.map(column => `r.${column}`).join(', ')}
       from former_rows f, json_populate_record(null::${identifier(name)}, f.line -> 'row') as r
      where $1::uuid is not null`,
    [organizationId],
  )
  await run('drop table former_rows')
}

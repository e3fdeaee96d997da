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

/** A line, as text and parsed; `part` is the table of a row or the id of a file, and empty for the first and the last line. */
interface Line {
  readonly number: number
  readonly text: string
  readonly kind: 'row' | 'bytes' | 'other'
  readonly part: string
  readonly value: JsonObject
}

/** Receives the consecutive lines of one table or one file. */
type TakeLines = (part: string, lines: AsyncGenerator<Line, void>) => Promise<void>

/**
 * An organization file written by release 0.1.0. Each line is a JSON object: first the header, then each row with its table, then the bytes
 * of files in base64, with the lines of one file together, and last the number of rows of each table.
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

  /** Reads the whole file once. Throws an `ArchiveError` with the number of the line if the content is not valid. */
  async verify(): Promise<Manifest> {
    const tables = new Map<string, { rows: number; readonly columns: readonly string[] }>()
    const hashes = new Map<string, string>()
    let files = 0
    const { head, end } = await this.#walk(
      async (table, lines) => {
        for await (const { number, value } of lines) {
          const row = isObject(value.row) ? value.row : {}
          const known = tables.get(table) ?? { rows: 0, columns: Object.keys(row) }
          tables.set(table, known)
          known.rows += 1
          if (Object.keys(row).join() !== known.columns.join())
            throw new ArchiveError(`line ${number}: the row has other columns than those of ${table} before it`)
          if (table === 'files') hashes.set(String(row.id), String(row.sha256))
        }
      },
      async (file, lines) => {
        files += 1
        const hash = createHash('sha256')
        for await (const chunk of bytesIn(lines)) hash.update(chunk)
        if (hash.digest('hex') !== hashes.get(file))
          throw new ArchiveError(`the bytes of the file ${file} are not those of its row: the file is damaged`)
      },
    )
    if (files !== hashes.size) throw new ArchiveError(`the file has the bytes of ${files} of ${hashes.size} files`)
    const counts = isObject(end.rows) ? end.rows : {}
    const counted = [...new Set([...Object.keys(counts), ...tables.keys()])].map(name => {
      const { rows, columns } = tables.get(name) ?? { rows: 0, columns: [] }
      if (rows !== counts[name])
        throw new ArchiveError(`the file has ${rows} rows of ${name}, and its end counts ${String(counts[name])}`)
      return { name, rows, columns, bytes: 0, sha256: '' }
    })
    return { ...(await originOf(head)), tables: counted, files }
  }

  /** Writes all rows, and stores all files. The organization is this one, whatever the rows say. */
  async load(
    transaction: LongTransaction,
    tables: ReadonlyMap<string, TenantTable>,
    organizationId: string,
    store: FileStore,
  ): Promise<void> {
    await this.#walk(
      async (name, lines) => {
        const table = tables.get(name)
        if (table === undefined) throw new ArchiveError(`the table ${name} is not known here`)
        await loadRows(transaction, table, organizationId, lines)
      },
      async (file, lines) => {
        const [row] = await transaction.query(selectFile, [organizationId, file])
        if (row === undefined) throw new ArchiveError(`the file ${file} has no row`)
        await storeFile(toRecordedFile(organizationId, row), bytesIn(lines), store)
      },
    )
  }

  close(): void {}

  /** Passes the lines in order to their consumers. Resolves to the content of the first and the last line. */
  async #walk(takeRows: TakeLines, takeBytes: TakeLines): Promise<{ head: JsonObject; end: JsonObject }> {
    const lines = linesOf(this.#source)
    let next = await lines.next()
    async function* together({ kind, part }: Line): AsyncGenerator<Line, void> {
      for (; next.value?.kind === kind && next.value.part === part; next = await lines.next()) yield next.value
    }
    const others: JsonObject[] = []
    for (let line = next.value; line !== undefined; line = next.value) {
      if (others.length === 2) throw new ArchiveError(`line ${line.number} stands behind the end of the file`)
      if (line.kind === 'other') {
        others.push(line.value)
        next = await lines.next()
      } else await (line.kind === 'row' ? takeRows : takeBytes)(line.part, together(line))
    }
    const [head, end] = others
    if (head === undefined || end === undefined) throw new ArchiveError('the file was cut off: its end is missing')
    return { head, end }
  }
}

async function* linesOf(source: ArchiveSource): AsyncGenerator<Line, void> {
  let number = 0
  for await (const text of linesIn(source.read({ start: 0, end: source.size - 1 }))) {
    number += 1
    const value = parsedLine(text, number)
    const { table, row, file, bytes, rows } = value
    if (typeof table === 'string' && isObject(row)) yield { number, text, kind: 'row', part: table, value }
    else if (typeof file === 'string' && isUuid(file) && typeof bytes === 'string')
      yield { number, text, kind: 'bytes', part: file, value }
    else if (number === 1 || isObject(rows)) yield { number, text, kind: 'other', part: '', value }
    else throw new ArchiveError(`line ${number} is neither a row, nor bytes of a file, nor the end`)
  }
}

function parsedLine(text: string, number: number): JsonObject {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    throw new ArchiveError(`line ${number} is not JSON: the file is damaged, or was cut off`)
  }
  if (!isObject(line)) throw new ArchiveError(`line ${number} is no object`)
  return line
}

/** The content of the first line. */
async function originOf({ formatVersion, product, schema, exportedAt, secretMark, organization }: JsonObject) {
  if (formatVersion !== 1) throw new ArchiveError(`the file has the format ${String(formatVersion)}, and not 1`)
  const known = await knownMigrations()
  const at = known.indexOf(String(schema))
  return {
    product: String(product),
    organization: organizationNamed(organization),
    migrations: at < 0 ? [String(schema)] : known.slice(0, at + 1),
    queueRevision: 0,
    snapshotAt: String(exportedAt),
    epoch: 1,
    secretMark: String(secretMark),
    hasSecret: false,
  }
}

async function* bytesIn(lines: AsyncIterable<Line>): AsyncGenerator<Uint8Array> {
  for await (const { value } of lines) yield Buffer.from(String(value.bytes), 'base64')
}

/** Lines in the format of `copy`. PostgreSQL parses their JSON itself: JavaScript numbers would lose digits. */
async function* copied(lines: AsyncIterable<Line>): AsyncGenerator<Uint8Array> {
  for await (const { text } of lines) yield Buffer.from(`${text.replaceAll('\\', '\\\\')}\n`)
}

async function loadRows(
  transaction: LongTransaction,
  { name, columns, identity }: TenantTable,
  organizationId: string,
  lines: AsyncIterable<Line>,
): Promise<void> {
  const run = (text: string, values: readonly unknown[] = []) => transaction.query({ name: '', text }, values)
  const names = columns.map(identifier)
  const [owner, ownerId] = identity === null ? ['organization_id, ', '$1::uuid, '] : ['', '']
  await run('create temporary table former_rows (line json) on commit drop')
  await transaction.copyIn({ name: '', text: 'copy former_rows from stdin' }, copied(lines))
  await run(
    `insert into ${identifier(name)} (${owner}${names.join(', ')})
     select ${ownerId}${names.map(column => `r.${column}`).join(', ')}
       from former_rows f, json_populate_record(null::${identifier(name)}, f.line -> 'row') as r
      where $1::uuid is not null`,
    [organizationId],
  )
  await run('drop table former_rows')
}

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { Crm } from 'crm-sdk'
import { CommandFailure, UsageError } from '../failure.ts'
import { rowShapes } from '../generated/row-shapes.ts'
import type { Invocation } from '../invocation.ts'
import { isObject } from '../json.ts'
import type { Output } from '../output/output.ts'
import { columnMapOf, listsOf } from './column-map.rules.ts'
import { FailuresFile, type RowRefusal } from './failures-file.ts'
import { shortened } from './field-path.rules.ts'
import { rowsOf, sourceOf, surveyOf } from './read-source.ts'
import { type Reading, type RecordToSend, recordOfRow } from './record-of-row.rules.ts'
import { sendRows } from './send-rows.ts'
import { type ObjectShape, type RowKind, withCustomFields } from './shape.ts'
import type { Source, SourceRow } from './source-row.ts'
import type { RowResult } from './write-each.ts'

/** The options of `upsert --file`. */
export interface FileOptions {
  readonly file: string
  readonly format?: 'csv' | 'ndjson'
  readonly delimiter?: string
  readonly key?: string
  readonly map?: readonly string[]
  readonly clearEmpty?: boolean
  readonly run?: string
  readonly overwrite?: boolean
  readonly failures?: string
  readonly dryRun?: boolean
}

/** What is printed at the end. */
const summaryNames = { run: 0, rows: 0, written: 0, replayed: 0, refused: 0 } as const
/** How many rows a dry run shows. */
const shownRows = 5
/** How many refused rows are told without a file for them. */
const toldRefusals = 20
/** Progress is told after so many rows. */
const rowsUntilTold = 5_000

/**
 * `crm contacts upsert --file`: writes the rows of a file by their keys. The file is read twice: before anything is sent, it is checked that
 * it can be read, and that each column has a field. Holds a few hundred rows at a time. Throws CommandFailure if rows were refused.
 */
export async function upsertFile(
  kind: RowKind,
  options: FileOptions,
  command: Command,
  invocation: Invocation,
): Promise<void> {
  const { map = [], key, clearEmpty = false, dryRun = false, overwrite = true } = options
  const run = runOf(options, invocation.isQuiet(command))
  const output = invocation.outputOf(command, dryRun ? undefined : summaryNames)
  const source = await sourceOf(options.file, options)
  const { rows, columns } = await surveyOf(source)
  const crm = await invocation.crmOf(command)
  const shape = await shapeOf(kind, crm, [...columns, ...map])
  refuseOtherDelimiter(source, columns, options.delimiter)
  const columnMap = columnMapOf(columns, { maps: map, key }, shape)
  if (typeof columnMap === 'string') throw new UsageError(`${source.file}: ${columnMap}`)
  const reading = { columns: columnMap, shape, areTexts: source.format === 'csv', clearsEmpty: clearEmpty }
  if (overwrite && [...columnMap.values()].some(({ path }) => path === 'expectedVersion'))
    throw new UsageError('the rows bring expectedVersion: give --no-overwrite, or leave the column out')

  const refusals = new Refusals(
    options.failures === undefined ? null : await FailuresFile.create(options.failures, source, columns),
    text => invocation.tell(command, text),
  )
  if (dryRun) return rehearse({ kind, source, reading, rows, refusals }, output, text => invocation.tell(command, text))

  invocation.tell(command, `run ${run}: ${amount(rows, 'row')} of ${source.file} to ${kind}`)
  const counts = { rows: 0, written: 0, replayed: 0 }
  const sent: SourceRow[] = []
  try {
    const records = readable(source, reading, refusals, row => void sent.push(row))
    for await (const result of sendRows(kind, crm, records, { run, overwrite })) {
      const row = sent.shift()
      if (row === undefined) throw new Error('an answer has more rows than were sent')
      counts.rows += 1
      if (result.error === undefined) counts[result.isReplay ? 'replayed' : 'written'] += 1
      else await refusals.add(row, refusalOf(result.error))
      const handled = counts.rows + refusals.unreadable
      if (handled % rowsUntilTold === 0) invocation.tell(command, `${number(handled)} of ${amount(rows, 'row')}`)
    }
  } catch (error) {
    invocation.tell(
      command,
      `stopped after ${amount(counts.rows, 'row')}. Start again with --run ${run}: what was written is not written twice`,
    )
    throw error
  } finally {
    await refusals.end()
  }
  await output.record({ run, rows, written: counts.written, replayed: counts.replayed, refused: refusals.count })
  refuse(refusals, rows)
}

interface Rehearsal {
  readonly kind: RowKind
  readonly source: Source
  readonly reading: Reading
  readonly rows: number
  readonly refusals: Refusals
}

/** Prints the first rows as they would be sent, and sends nothing. */
async function rehearse(
  { kind, source, reading, rows, refusals }: Rehearsal,
  output: Output,
  tell: (text: string) => void,
): Promise<void> {
  const shown: RecordToSend[] = []
  for await (const record of readable(source, reading, refusals, () => {}))
    if (shown.length < shownRows) shown.push(record)
  await refusals.end()
  await output.sheets(shown)
  for (const list of listsOf(reading.columns))
    tell(`${list} of a record is replaced as a whole by what its row has of it`)
  const sendable = rows - refusals.count
  const first = sendable > shown.length ? `, of which the first ${shown.length} are shown` : ''
  tell(`nothing was sent: ${amount(sendable, 'row')} of ${source.file} would go to ${kind}${first}`)
  refuse(refusals, rows)
}

/** The records of rows that describe one; the others are refused at once. */
async function* readable(
  source: Source,
  reading: Reading,
  refusals: Refusals,
  onRecord: (row: SourceRow) => void,
): AsyncGenerator<RecordToSend, void, undefined> {
  for await (const row of rowsOf(source)) {
    const record = row.problem ?? recordOfRow(row.cells, reading)
    if (typeof record === 'string') await refusals.addUnreadable(row, { code: 'unreadable', message: record })
    else {
      onRecord(row)
      yield record
    }
  }
}

/** The rows that were refused: in a file if there is one, otherwise the first of them on standard error. */
class Refusals {
  count = 0
  /** Those of them that were not sent. */
  unreadable = 0
  readonly #file: FailuresFile | null
  readonly #tell: (text: string) => void

  constructor(file: FailuresFile | null, tell: (text: string) => void) {
    this.#file = file
    this.#tell = tell
  }

  addUnreadable(row: SourceRow, refusal: RowRefusal): Promise<void> {
    this.unreadable += 1
    return this.add(row, refusal)
  }

  async add(row: SourceRow, refusal: RowRefusal): Promise<void> {
    this.count += 1
    await this.#file?.add(row, refusal)
    if (this.#file !== null || this.count > toldRefusals + 1) return
    if (this.count > toldRefusals) this.#tell('more rows were refused: --failures FILE keeps all of them')
    else this.#tell(`line ${row.line}: ${refusal.code}: ${refusal.message}`)
  }

  async end(): Promise<void> {
    await this.#file?.end()
  }
}

function refuse({ count }: Refusals, rows: number): void {
  if (count > 0) throw new CommandFailure(`refused: ${number(count)} of ${amount(rows, 'row')}`)
}

/** With each value that the server found wrong, by its place in the record: that of the record in its batch says nothing. */
function refusalOf({ code, message, details }: NonNullable<RowResult['error']>): RowRefusal {
  const { issues } = Object(details)
  if (!Array.isArray(issues) || issues.length === 0) return { code, message }
  const told = issues
    .filter(isObject)
    .map(issue => `${String(issue['path']).replace(/^\/items\/\d+/u, '')}: ${String(issue['message'])}`)
  return { code, message: told.join('; ') }
}

/** The name of the run. A quiet one has to bring it: nobody would know how to start it again. */
function runOf({ run, dryRun }: FileOptions, isQuiet: boolean): string {
  if (run === undefined && isQuiet && !dryRun)
    throw new UsageError('--quiet does not tell the name of the run: give it with --run NAME')
  if (run === undefined) return `crm-${new Date().toISOString().slice(0, 16)}-${randomBytes(3).toString('hex')}`
  if (!dryRun && !/^[!-~]{1,150}$/u.test(run)) throw new UsageError('--run has 1 to 150 visible ASCII characters')
  return run
}

/** Throws UsageError if all columns look like one, because something else separates them. */
function refuseOtherDelimiter({ file, format }: Source, columns: readonly string[], given: string | undefined): void {
  const [only = ''] = columns
  const other = /[;\t|]/u.exec(only)?.[0]
  if (format === 'ndjson' || columns.length > 1 || given !== undefined || other === undefined) return
  const word = other === '\t' ? 'tab' : `'${other}'`
  throw new UsageError(`${file} has one column, "${shortened(only)}": give --delimiter ${word} to divide it`)
}

const singular: Readonly<Record<RowKind, string>> = {
  contacts: 'contact',
  companies: 'company',
  deals: 'deal',
  tasks: 'task',
}

/** The shape of a row. The fields that the organization has added are asked for only if one of them is named. */
async function shapeOf(kind: RowKind, crm: Crm, named: readonly string[]): Promise<ObjectShape> {
  if (!named.some(name => name.includes('customFields'))) return rowShapes[kind]
  const { directories } = await crm.capabilities.get()
  return withCustomFields(rowShapes[kind], singular[kind], directories.customFields ?? [])
}

const number = (count: number) => count.toLocaleString('en-US')

const amount = (count: number, noun: string) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`

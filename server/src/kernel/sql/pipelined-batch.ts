import pg from 'pg'
import driver from 'pg/lib/utils'
import { bounds } from '../limits/bounds.ts'
import { currentSpan, type Span, startSpan } from '../tracing/index.ts'
import { giveUp } from './give-up.ts'
import type { Reader } from './reader.ts'
import type { Row } from './row.ts'
import { nameOf, type Statement } from './statement.ts'

const { builtins } = pg.types
const dateArray = 1182

/** Converts PostgreSQL values to JavaScript: dates are texts, and timestamps have the form of answers. */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === builtins.TIMESTAMPTZ) return utcTimestamp
      if (oid === builtins.DATE || oid === dateArray) return (text: string) => text
    }
    return pg.types.getTypeParser(oid, format)
  },
}

/** `2026-01-31 09:15:00.12+00` (session time zone UTC) as `2026-01-31T09:15:00.120Z`. */
function utcTimestamp(text: string): string {
  const fraction = text.slice(20, text.indexOf('+'))
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

/** A statement to send, and the promise that its answer settles. */
export interface QueuedStatement {
  readonly statement: Statement
  readonly values: readonly unknown[]
  /** Receives each row as it arrives; the answer then contains no rows. */
  readonly take?: TakeRow | undefined
  readonly resolve: (answer: StatementResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Handles a row of this many bytes while later rows are still arriving. An error that it throws is reported as an error of the statement.
 */
export type TakeRow = (row: Row, bytes: number) => void

export interface StatementResult {
  readonly rows: pg.QueryResult['rows']
  /** The command tag of PostgreSQL, such as `COMMIT` or `INSERT 0 1`. */
  readonly command: string
}

/**
 * The columns of a prepared statement. Every row starts as a copy of `empty`, so that all rows have the same shape from
 * the start.
 */
interface Columns {
  readonly empty: Readonly<Record<string, null>>
  readonly each: readonly { readonly name: string; readonly parse: (text: string) => unknown }[]
}

/** What this process knows about one connection. */
interface ConnectionState {
  /** The statements prepared on the connection, each with its columns once they are known. */
  readonly prepared: Map<string, Columns | null>
  /** Batches that were sent and are not answered yet. */
  readonly waiting: PipelinedBatch[]
}

const states = new WeakMap<pg.Connection, ConnectionState>()

function stateOf(connection: pg.Connection): ConnectionState {
  const known = states.get(connection)
  if (known !== undefined) return known
  const state: ConnectionState = { prepared: new Map(), waiting: [] }
  states.set(connection, state)
  return state
}

/** The state of a batch that was not sent yet. */
const notSent: ConnectionState = { prepared: new Map(), waiting: [] }

/** Whether a batch on this connection has exceeded its timeout; `now` comes from `performance.now()`. */
export function hasTimedOut(connection: pg.Connection, now: number): boolean {
  return states.get(connection)?.waiting.some(batch => batch.latest < now) ?? false
}

/**
 * Prepared statements that are sent together and answered together. The driver alone would sync after each statement, and have PostgreSQL
 * describe the same columns each time. If one statement fails, the later ones are not run and fail with its error.
 */
export class PipelinedBatch extends pg.Query {
  /**
   * The deadline after which the connection is closed. The driver's timers are not used: with one timer per query, the garbage collector
   * keeps the rows of all queries (ADR 0008).
   */
  latest = Number.POSITIVE_INFINITY
  readonly #patience: number
  readonly #giveWay: (() => Promise<void>) | null
  readonly #queued: readonly QueuedStatement[]
  readonly #parameters: readonly (Buffer | string | null)[][]
  readonly #answers: StatementResult[] = []
  #rows: pg.QueryResult['rows'] = []
  #state = notSent
  #connection: pg.Connection | null = null
  #received = 0
  #pauseAt = bounds.large.most
  #isPaused = false
  readonly #span: Span | null
  /** The error of decoding a row, by the index of its statement. */
  readonly #unreadable: unknown[] = []

  /**
   * `patience` is the timeout of an answer in milliseconds. A large answer awaits `giveWay` before each next part is read, and fails with
   * its error.
   */
  constructor(queued: readonly QueuedStatement[], patience: number, giveWay: (() => Promise<void>) | null = null) {
    // If it were given an object, the driver would copy it property by property, with the property descriptors.
    super('')
    this.#patience = patience
    this.#giveWay = giveWay
    this.#queued = queued
    this.#parameters = queued.map(({ values }) => values.map(driver.prepareValue))
    this.#span = spanOf(queued)
  }

  override submit = (connection: pg.Connection): void => {
    this.#state = stateOf(connection)
    this.#connection = connection
    const { prepared, waiting } = this.#state
    waiting.push(this)
    this.latest = performance.now() + this.#patience
    connection.stream.cork()
    for (const [index, { statement }] of this.#queued.entries()) {
      // A statement without a name is planned anew each time.
      const known = statement.name !== '' && prepared.has(statement.name)
      if (!known) prepare(connection, statement)
      connection.bind({ statement: statement.name, values: this.#parameters[index] }, true)
      if (!known) connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
      if (!known) prepared.set(statement.name, null)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    const each = fields.map(({ name, dataTypeID }) => ({ name, parse: valueParsers.getTypeParser(dataTypeID) }))
    this.#state.prepared.set(this.#name(), { each, empty: Object.fromEntries(each.map(({ name }) => [name, null])) })
  }

  handleDataRow({ fields, length }: { fields: readonly (string | null)[]; length: number }): void {
    this.#received += length
    if (this.#received >= this.#pauseAt) this.#pause()
    try {
      const row = rowOf(this.#state.prepared.get(this.#name()), fields)
      const take = this.#queued[this.#answers.length]?.take
      if (take === undefined) this.#rows.push(row)
      else take(row, length)
    } catch (error) {
      this.#unreadable[this.#answers.length] = error
    }
  }

  /** Stops reading until other work has had its turn. */
  #pause(): void {
    const connection = this.#connection
    if (this.#giveWay === null || connection === null) return
    this.#pauseAt = Number.POSITIVE_INFINITY
    // While reading is paused no answer can arrive, so the batch has no deadline.
    this.latest = Number.POSITIVE_INFINITY
    this.#isPaused = true
    connection.stream.pause()
    this.#giveWay().then(
      () => this.#resume(connection),
      (reason: Error) => {
        if (this.#isPaused) giveUp(connection, reason)
      },
    )
  }

  #resume({ stream }: pg.Connection): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#pauseAt = this.#received + bounds.largePart.most
    this.latest = performance.now() + this.#patience
    stream.resume()
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#answers.push({ rows: this.#rows, command: text })
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.#settle()
  }

  handleError(error: unknown): void {
    // The failed statement and the later ones may not have been prepared.
    for (const { statement } of this.#queued.slice(this.#answers.length)) this.#state.prepared.delete(statement.name)
    this.#settle(error)
  }

  #settle(error?: unknown): void {
    // The batch may end with data that was read before a pause. The connection must not stay paused for its next user.
    if (this.#connection !== null) this.#resume(this.#connection)
    if (error === undefined) this.#span?.end()
    else this.#span?.end(error)
    const { waiting } = this.#state
    if (waiting.includes(this)) waiting.splice(waiting.indexOf(this), 1)
    // An error after the last answer belongs to the last statement, which may be the commit.
    const answered = error ? Math.min(this.#answers.length, this.#queued.length - 1) : this.#answers.length
    for (const [index, { resolve, reject }] of this.#queued.entries()) {
      const answer = this.#answers[index]
      if (index in this.#unreadable) reject(this.#unreadable[index])
      else if (answer !== undefined && index < answered) resolve(answer)
      else reject(error)
    }
  }

  #name(): string {
    return this.#queued[this.#answers.length]?.statement.name ?? ''
  }
}

/** A statement to send alone. */
export type Asked = Pick<QueuedStatement, 'statement' | 'values' | 'take'>

/** Sends one statement, waits at most this many milliseconds for the answer, and releases the connection. */
export async function ask<R extends Row>(
  client: pg.PoolClient,
  { statement, values, take }: Asked,
  patience: number,
  reader: Reader | null,
): Promise<R[]> {
  try {
    const { rows } = await new Promise<StatementResult>((resolve, reject) => {
      const giveWay = reader && (() => reader.giveWay())
      client.query(new PipelinedBatch([{ statement, values, take, resolve, reject }], patience, giveWay))
    })
    client.release()
    return rows
  } catch (error) {
    // After a failure the state of the connection is unknown, so the pool closes it.
    client.release(true)
    throw error
  }
}

/** The statements of a batch are answered together, so they are one span, with their names and no values. */
function spanOf(queued: readonly QueuedStatement[]): Span | null {
  if (currentSpan() === null) return null
  const names = queued.map(({ statement }) => nameOf(statement))
  const [first = names[0] ?? '', ...others] = names.filter(name => !frame.has(name))
  const facts = { 'db.system.name': 'postgresql', 'crm.statements': names }
  return startSpan(others.length === 0 ? first : `${first} and ${others.length} more`, { kind: 'client', facts })
}

/** The statements that frame every transaction. */
const frame: ReadonlySet<string> = new Set(['begin', 'commit'])

function rowOf(columns: Columns | null | undefined, fields: readonly (string | null)[]): pg.QueryResultRow {
  if (!columns) throw new Error('a row came before its columns were known')
  const row: pg.QueryResultRow = { ...columns.empty }
  let index = 0
  for (const { name, parse } of columns.each) {
    const text = fields[index]
    if (typeof text === 'string') row[name] = parse(text)
    index += 1
  }
  return row
}

/** Prepares a statement, even if it may be prepared already: closing an unknown statement is not an error. */
function prepare(connection: pg.Connection, { name, text }: Statement): void {
  connection.close({ type: 'S', name }, true)
  connection.parse({ name, text, types: [] }, true)
}

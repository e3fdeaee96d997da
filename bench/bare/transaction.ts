import type pg from 'pg'
import type { NamedStatement } from './statements.ts'

export type Row = Readonly<Record<string, unknown>>

/** Runs one statement, on a connection of its own or in a transaction. */
export async function run<R extends Row = Row>(
  on: pg.Pool | pg.PoolClient,
  statement: NamedStatement,
  values: unknown[],
): Promise<R[]> {
  if ('connection' in on) hold(on)
  return (await on.query<R>({ ...statement, values })).rows
}

/**
 * Begin, what `work` does, commit. `begin` travels with the first statement and `commit` with the last, whose rows
 * `work` returns without waiting for them.
 */
export async function inTransaction<Result extends { readonly saved: Promise<Row[]> }>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    hold(client)
    const begun = client.query('begin')
    const result = await work(client)
    await Promise.all([begun, result.saved, client.query('commit')])
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Statements queued in one turn of the event loop are sent in one write, as in the product. */
function hold(client: pg.PoolClient): void {
  const { stream } = client.connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

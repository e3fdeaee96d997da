import { type Database, statement } from '../../server/src/kernel/sql/index.ts'

/** Runs a statement, and holds its locks until they are released. */
export async function hold(database: Database, text: string): Promise<{ release(): Promise<void> }> {
  let [begin, end] = [() => {}, () => {}]
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const holding = database.long('write', async transaction => {
    await transaction.query({ name: '', text }, [])
    begin()
    await ended
  })
  await Promise.race([begun, holding])
  return {
    release() {
      end()
      return holding
    },
  }
}

const selectWaiting = statement(
  'test_is_waited_for',
  `select exists (
     select from pg_locks l
      where l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.relation = $1::text::regclass and not l.granted) as is_waited_for`,
)

/** Whether a transaction is waiting for a lock of the table. */
export async function isWaitedFor(database: Database, table: string): Promise<boolean> {
  const [row] = await database.search(selectWaiting, [table])
  return row?.is_waited_for === true
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { until } from '../../../../test/support/waiting.ts'
import type { Database } from './database.ts'
import { DatabaseSilent } from './failure.ts'
import { statement } from './statement.ts'

const divide = statement('test_divide', 'select 12 / $1::integer as quotient, pg_backend_pid() as process')
const remember = statement('test_remember', "select set_config('crm.remembered', $1, false) as remembered")
const remembered = statement('test_remembered', "select current_setting('crm.remembered', true) as remembered")
const keep = statement('test_keep', 'insert into notes (note) values ($1) returning note')
const sleep = statement('test_sleep', 'select pg_sleep($1::float)::text as slept')
const sleeping = statement(
  'test_sleeping',
  `select 1 from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%test_sleep' || chr(10) || '%'`,
)
const kept = statement('test_kept', 'select note from notes order by note')

describe('statements of one turn', () => {
  let own: TestDatabase
  let database: Database
  beforeAll(async () => {
    own = await createTestDatabase(1)
    database = own.database
    await database.script('create table notes (note text primary key)')
  })
  afterAll(() => own.drop())

  test('answer each with its own rows, the same statement twice too', async () => {
    const transaction = await database.begin()
    const answers = [
      transaction.query(divide, [3]),
      transaction.query(remembered, []),
      transaction.query(divide, [4]),
      transaction.query(keep, ['first']),
    ]
    const [three, none, four, note] = await Promise.all(answers)
    await transaction.rollback()
    expect(three).toMatchObject([{ quotient: 4 }])
    expect(four).toMatchObject([{ quotient: 3 }])
    expect(none).toEqual([{ remembered: null }])
    expect(note).toEqual([{ note: 'first' }])
    expect(await database.query(kept, [])).toEqual([])
  })

  test('are not run behind one that failed, and fail with it; the connection goes on', async () => {
    const before = await database.query(divide, [1])
    const transaction = await database.begin()
    const outcomes = await Promise.allSettled([
      transaction.query(divide, [6]),
      transaction.query(divide, [0]),
      transaction.query(remember, ['behind']),
    ])
    await transaction.rollback()
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    for (const outcome of outcomes.slice(1)) expect(outcome).toMatchObject({ reason: { code: '22012' } })

    const next = await database.begin()
    const [quotient, setting] = await Promise.all([next.query(divide, [2]), next.query(remember, ['now'])])
    await next.rollback()
    expect(quotient).toEqual([{ quotient: 6, process: before[0]?.process }])
    expect(setting).toEqual([{ remembered: 'now' }])
  })

  test('are not committed when the last of them fails, and the connection goes on', async () => {
    const before = await database.query(divide, [1])
    const transaction = await database.begin()
    await transaction.query(keep, ['one'])
    const again = transaction.query(keep, ['one'])
    await expect(transaction.commit(again)).rejects.toMatchObject({ code: '23505' })
    expect(await database.query(kept, [])).toEqual([])

    const next = await database.begin()
    await next.commit(next.query(keep, ['two']))
    expect(await database.query(kept, [])).toEqual([{ note: 'two' }])
    expect((await database.query(divide, [1]))[0]?.process).toBe(before[0]?.process)
  })

  test('are not taken for committed when one failed before, although the database ends them without an error', async () => {
    const transaction = await database.begin()
    await transaction.query(keep, ['lost'])
    await expect(transaction.query(divide, [0])).rejects.toMatchObject({ code: '22012' })
    await expect(transaction.commit()).rejects.toThrow('rolled back instead of committed')
    expect(await database.query(kept, [])).toEqual([{ note: 'two' }])
  })

  test('are prepared anew after they failed: a table that has changed meanwhile is read as it is', async () => {
    await database.query(kept, [])
    await database.script('alter table notes alter column note type varchar')
    await expect(database.query(kept, [])).rejects.toMatchObject({ code: '0A000' })
    expect(await database.query(kept, [])).toEqual([{ note: 'two' }])
  })

  test('are given up when an answer takes longer than they may wait, and the next ones get a new connection', async () => {
    const before = await database.query(divide, [1])
    const transaction = await database.begin()
    const patient = transaction.query(divide, [6])
    const impatient = transaction.query(sleep, [20], 100)
    expect(await patient).toMatchObject([{ quotient: 2 }])
    await expect(impatient).rejects.toBeInstanceOf(DatabaseSilent)
    await transaction.rollback()
    const [after] = await database.query(divide, [1])
    expect(after?.quotient).toBe(12)
    expect(after?.process).not.toBe(before[0]?.process)
  })

  test('do not run on in the database when they were given up', async () => {
    const transaction = await database.begin()
    await expect(transaction.query(sleep, [20], 100)).rejects.toBeInstanceOf(DatabaseSilent)
    await transaction.rollback()
    await until('the end of the statement', async () => (await database.query(sleeping, [])).length === 0)
  })

  test('are not given up while none of them is late, however long the connection lives', async () => {
    const transaction = await database.begin()
    await transaction.query(divide, [6], 100)
    await transaction.query(sleep, [0.6], 5000)
    expect(await transaction.query(divide, [4], 5000)).toMatchObject([{ quotient: 3 }])
    await transaction.rollback()
  })
})

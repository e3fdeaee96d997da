import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { createEmptyDatabase, type EmptyDatabase, migrateUpTo } from './empty-database.ts'

let empty: EmptyDatabase
beforeEach(async () => {
  empty = await createEmptyDatabase()
  await migrateUpTo(empty, '0014')
})
afterEach(() => empty.drop())

const organization = newId()

/** An answer as the release before stores it. */
const store = (key: string) =>
  empty.database.script(`
    insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body, person_ids)
    values ('${organization}', '${organization}', '${key}', '\\x00', now(), 201, '{}', array['${organization}'::uuid])`)

const selectAnswers = statement(
  'test_answers',
  `select key, slot = -1 as is_from_before, slot between 0 and 3 as has_day
     from idempotency_answers where organization_id = $1 order by key`,
)

const selectInvalid = statement('test_invalid', 'select indexrelid from pg_index where not indisvalid')

test('answers that were stored stay, and the release before goes on storing them', async () => {
  await store('before')
  await migrate(empty.database)
  await store('since')
  expect(await empty.database.search(selectAnswers, [organization])).toEqual([
    { key: 'before', is_from_before: true, has_day: false },
    { key: 'since', is_from_before: false, has_day: true },
  ])
})

test('a reader, such as a backup, keeps the migration waiting, and the migration keeps no writer waiting', async () => {
  await store('before')
  const reader = await empty.database.begin()
  const count = statement('test_count', 'select count(*)::integer as count from idempotency_answers')
  await reader.query(count, [])
  const migrated = migrate(empty.database)
  // A migration that waited for its lock would be waited for by them, until PostgreSQL ends the reader.
  const keys = ['0', '1', '2', '3', '4', '5']
  for (const key of keys) {
    await store(key)
    await sleep(200)
  }
  expect(await reader.query(count, [])).toEqual([{ count: 1 + keys.length }])
  await reader.rollback()
  expect(await migrated).toContain('0014_answers_by_day.sql')
  const answers = await empty.database.search(selectAnswers, [organization])
  expect(answers.map(({ key, is_from_before }) => is_from_before && key)).toEqual([...keys, 'before'])
})

test('the oldest number of a feed is that of its oldest event, or the next one', async () => {
  const [kept, removed] = [newId(), newId()]
  await empty.database.script(`
    insert into organization_feed values ('${kept}', 9), ('${removed}', 9), ('${newId()}', 0);
    insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, changed_fields, occurred_at,
      actor_type, request_id, transaction_id)
    select '${kept}', n, gen_random_uuid(), 'x', 'x', gen_random_uuid(), 'x', '{}', now(), 'x', gen_random_uuid(),
           gen_random_uuid() from generate_series(7, 9) as n`)
  await migrate(empty.database)
  const text =
    'select seq::integer, oldest_seq::integer as oldest from organization_feed f order by f.seq, f.oldest_seq'
  expect(await empty.database.search(statement('test_oldest', text), [])).toEqual([
    { seq: 0, oldest: 1 },
    { seq: 9, oldest: 7 },
    { seq: 9, oldest: 10 },
  ])
})

test('an index that was half built when the migration was interrupted is built anew', async () => {
  const id = newId()
  for (const entry of [newId(), newId()])
    await empty.database.script(`
      insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type, request_id,
        changes) values ('${id}', '${entry}', now(), 'x', '${id}', 'x', 'x', '${id}', '[]')`)
  // It cannot be unique, and so stays half built under the name that the migration uses.
  const build = 'create unique index concurrently audit_entries_of_request on audit_entries (request_id)'
  await expect(empty.database.script(build)).rejects.toThrow('could not create unique index')
  expect(await empty.database.search(selectInvalid, [])).toHaveLength(1)
  await migrate(empty.database)
  expect(await empty.database.search(selectInvalid, [])).toEqual([])
  const indexed = "select indisunique from pg_index where indexrelid = 'audit_entries_of_request'::regclass"
  expect(await empty.database.search(statement('test_indexed', indexed), [])).toEqual([{ indisunique: false }])
})

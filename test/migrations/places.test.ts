import { afterEach, beforeEach, expect, test } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { createEmptyDatabase, type EmptyDatabase, migrateUpTo } from './empty-database.ts'

let empty: EmptyDatabase
beforeEach(async () => {
  empty = await createEmptyDatabase()
})
afterEach(() => empty.drop())

const organization = newId()
const [one, other] = [newId(), newId()]

/** As the release before adds an item: it knows nothing of ranks. */
const addItem = (deal: string, name: string, position: number) => `
  insert into deal_items (organization_id, id, version, created_at, updated_at, deal_id, name, quantity, price,
    discount_type, discount, tax_mode, tax_rate, position, subtotal, discount_amount, tax_amount, total)
  values ('${organization}', '${newId()}', 1, now(), now(), '${deal}', '${name}', 1, 1, 'percent', 0, 'none', 0, ${position},
    1, 0, 0, 1);`

const addDeal = (id: string) => `
  insert into deals (organization_id, id, version, created_at, updated_at, kind, title, items_total, pipeline_id, stage_uuid,
    status, rank, stage_changed_at, items_count, activities_count, files_count, custom_fields, tag_ids, stage_span,
    search_names, search_contact_data, search_custom_fields)
  values ('${organization}', '${id}', 1, now(), now(), 'ordinary', 'Chairs', 0, '${newId()}', '${newId()}', 'open', 'a0', now(),
    0, 0, 0, '{}', '{}', 1, '', '', '');`

test('records keep their order when they get ranks, and records that the release before adds come last', async () => {
  await migrateUpTo(empty, '0008')
  await empty.database.script(`${addDeal(one)} ${addDeal(other)}
    ${addItem(one, 'third', 7)} ${addItem(one, 'first', 1)} ${addItem(one, 'second', 7_000)}
    ${addItem(other, 'of another deal', 0)}`)
  await empty.database.script(`update deal_items set position = 3 where name = 'second'`)
  await migrate(empty.database)
  await empty.database.script(addItem(one, 'fourth', 0))
  await empty.database.script(addItem(one, 'fifth', 0))
  const ranked = await empty.database.search(
    statement('test_ranked', 'select name from deal_items where deal_id = $1 order by rank, id'),
    [one],
  )
  expect(ranked.map(({ name }) => name)).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
})

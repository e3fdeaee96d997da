import { afterEach, beforeEach, expect, test } from 'vitest'
import { blocksAfter, newId } from '../../server/src/kernel/schema/index.ts'
import { migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { createEmptyDatabase, type EmptyDatabase, migrateUpTo } from './empty-database.ts'

let empty: EmptyDatabase
beforeEach(async () => {
  empty = await createEmptyDatabase()
  await migrateUpTo(empty, '0024')
})
afterEach(() => empty.drop())

const selectBlocks = statement(
  'test_product_blocks',
  'select s.product_blocks as blocks from product_sets s where s.organization_id = $1 order by s.name',
)

const begin = Date.parse('2026-01-01T00:00:00.000Z')

test('existing products are in blocks, as if they had come one after another', async () => {
  const [organization, full, empties] = [newId(), newId(), newId()]
  // Three of each millisecond, and many of the one at which the first block ends.
  await empty.database.script(`
    insert into product_sets (organization_id, id, version, created_at, updated_at, name, products_count)
    values ('${organization}', '${empties}', 1, now(), now(), 'Empty', 0),
           ('${organization}', '${full}', 1, now(), now(), 'Full', 5000);
    insert into products (organization_id, id, version, created_at, updated_at, product_set_id, product_id, name, image_urls, attributes)
    select '${organization}', gen_random_uuid(), 1, t, t, '${full}', 'p' || n, 'Tea pot', '[]', '{}'
      from (select n, timestamptz '2026-01-01Z' + least(n / 3, 600 + n / 1000) * interval '1 millisecond' as t
              from generate_series(0, 4999) as n) as s`)
  await migrate(empty.database)
  const steps = Array.from({ length: 5000 }, (_, n) => Math.min(Math.floor(n / 3), 600 + Math.floor(n / 1000)))
    .toSorted((one, other) => one - other)
    .map(time => ({ before: null, after: { createdAt: new Date(begin + time).toISOString() } }))
  const blocks = blocksAfter([], steps)
  expect(await empty.database.search(selectBlocks, [organization])).toEqual([{ blocks: [] }, { blocks }])
})

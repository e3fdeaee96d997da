import { type Database, statement } from '../../server/src/kernel/sql/index.ts'

const selectUnclean = statement(
  'test_unclean_tables',
  `select c.relname from pg_class c where c.relname = any ($1::text[]) and c.relallvisible < c.relpages`,
)

const attempts = 50

/** Vacuums tables until every row of them is known to be seen by all: what still ran when it began keeps a vacuum from that. */
export async function vacuum(database: Database, tables: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await database.script(`vacuum analyze ${tables.join(', ')}`)
    if ((await database.search(selectUnclean, [tables])).length === 0) return
  }
  throw new Error(`${tables.join(', ')} could not be vacuumed`)
}

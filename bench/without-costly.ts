import { type Database, statement } from '../server/src/kernel/sql/index.ts'

const selectCostly = statement(
  'select_costly',
  `select format('drop index %I', indexname) as drop, indexdef as make from pg_indexes
    where schemaname = 'public' and indexdef like '% USING gin %'
   union all
   select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname),
          format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
     from pg_constraint k
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
)

/**
 * Runs a script that fills tables, in one transaction without search indexes and foreign keys, and makes those at its
 * end: to sort a finished table into an index, or to join it with another, is faster than to check its rows one by one.
 */
export async function withoutCostly(database: Database, script: string): Promise<void> {
  const costly = await database.search(selectCostly, [])
  await database.script(`
    begin;
    ${costly.map(({ drop }) => `${drop};`).join('\n')}
    ${script}
    ${costly.map(({ make }) => `${make};`).join('\n')}
    commit`)
  await database.script('vacuum analyze')
}

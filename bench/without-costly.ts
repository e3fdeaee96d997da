import { type Database, statement } from '../server/src/kernel/sql/index.ts'

/**
 * Runs a script that fills tables, in one transaction without search indexes and foreign keys, and creates these at its end: building an
 * index or checking a foreign key on a full table is faster than doing so row by row. Empty tables are filled without the write-ahead log,
 * which is not needed here.
 */
export async function withoutCostly(database: Database, script: string): Promise<void> {
  const costly = await database.search(selectCostly, [])
  const empty = await database.search(selectEmpty, [])
  await database.script(`
    begin;
    ${costly.map(({ drop }) => `${drop};`).join('\n')}
    ${empty.map(({ name }) => `alter table ${name} set unlogged;`).join('\n')}
    ${script}
    ${costly
      .map(({ make }) => `${make};`)
      .toReversed()
      .join('\n')}
    commit`)
  await database.script('vacuum analyze')
}

/**
 * Foreign keys, indexes for texts, and all keys and indexes of empty tables, in the order in which they can be dropped. Where rows have
 * been changed before, a recreated index is not used while an older transaction runs. Indexes of partitions stay: they can neither be
 * dropped alone nor recreated from their definition.
 */
const selectCostly = statement(
  'select_costly',
  `with tables as (
     select r.oid, pg_relation_size(r.oid) = 0 as is_empty from pg_class r
      where r.relnamespace = 'public'::regnamespace and r.relkind = 'r' and not r.relispartition)
   select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as drop,
          format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as make,
          k.contype <> 'f' as is_index
     from pg_constraint k
     join tables t on t.oid = k.conrelid
    where k.contype = 'f' or k.contype in ('p', 'u') and t.is_empty
   union all
   select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), true
     from pg_index i
     join tables t on t.oid = i.indrelid
    where (t.is_empty or pg_get_indexdef(i.indexrelid) like '% USING gin %')
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
    order by is_index`,
)

/**
 * Empty tables, except those that are referenced by tables which have rows or stay logged: a logged table must not reference an unlogged
 * one.
 */
const selectEmpty = statement(
  'select_empty',
  `with recursive tables as (
     select r.oid, pg_relation_size(r.oid) = 0 as is_empty from pg_class r
      where r.relnamespace = 'public'::regnamespace and r.relkind = 'r' and not r.relispartition),
   logged as (
     select t.oid from tables t where not t.is_empty
     union
     select k.confrelid from pg_constraint k join logged l on l.oid = k.conrelid where k.contype = 'f')
   select t.oid::regclass::text as name from tables t where t.is_empty and t.oid not in (select l.oid from logged l)`,
)

import { defineUpkeep, organizationsWith } from '../jobs/index.ts'
import { type Resource, recordStatements } from '../record/index.ts'
import { beforeAllIds } from '../schema/index.ts'
import { type Database, statement } from '../sql/index.ts'

/**
 * Completes the table of last changes for organizations that were here before it, and for those to which a server of an older release has
 * written, which runs during a rolling upgrade. Until then lists in that order read all records. Writes go on meanwhile.
 */
export const completeLastChanges = defineUpkeep({
  name: 'last changes',
  async run({ database, resources }, signal) {
    const kinds = resources.filter(({ orders }) => [...orders.values()].some(({ isLastChange }) => isLastChange))
    for await (const id of organizationsWithFeed(database, signal)) {
      const [feed] = await database.query(selectMissing, [id])
      if (feed === undefined) continue
      for (const kind of kinds) {
        await addMissing(database, kind, id, signal)
        await removeFormer(database, kind, id, signal)
      }
      if (!signal.aborted) await database.query(markComplete, [id, feed.missing])
    }
    return { removed: {} }
  },
})

const organizationsWithFeed = organizationsWith('organization_feed')

// The number of events that were written without their last changes.
const selectMissing = statement(
  'select_missing_last_changes',
  `select f.seq - f.last_changes_seq as missing
     from organization_feed f where f.organization_id = $1 and f.last_changes_seq <> f.seq`,
)

// Not if a server of an older release has written meanwhile: the next run completes the table.
const markComplete = statement(
  'mark_last_changes_complete',
  `update organization_feed f set last_changes_seq = f.seq
    where f.organization_id = $1 and f.seq - f.last_changes_seq = $2::bigint`,
)

/** Adds the last change of each record. A record that is changed meanwhile may get a former change too. */
async function addMissing(
  database: Database,
  resource: Resource,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, table } = resource
  const step = statement(
    `add_last_changes_of_${kind}`,
    `with seen as (
       select t.id, t.updated_at, ${recordStatements(resource).visible} as is_listed
         from ${table.name} t where t.organization_id = $1 and t.id > $2::uuid order by t.id limit $3),
     added as (
       insert into last_changes (organization_id, kind, updated_at, resource_id)
       select $1, '${kind}', s.updated_at, s.id from seen s where s.is_listed on conflict do nothing)
     select s.id from seen s order by s.id desc limit 1`,
  )
  let last: unknown = beforeAllIds
  while (!signal.aborted) {
    const [row] = await database.query(step, [organizationId, last, portion])
    if (row === undefined) return
    last = row.id
  }
}

/** Removes former changes, and those of records that no list shows. */
async function removeFormer(
  database: Database,
  resource: Resource,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kind, table } = resource
  // Each record is looked up by its id alone. A join could walk through all rows, because nothing is known yet about a table that was just filled.
  const find = statement(
    `find_former_changes_of_${kind}`,
    `select s.updated_at, s.resource_id, t.id is null as is_former
       from (select l.updated_at, l.resource_id
               from last_changes l
              where l.organization_id = $1 and l.kind = '${kind}' and (l.updated_at, l.resource_id) > ($2::timestamptz, $3::uuid)
              order by l.updated_at, l.resource_id limit $4) s
       left join lateral (
         select t.id from (
           select r.* from ${table.name} r where r.organization_id = $1 and r.id = s.resource_id offset 0) t
          where t.updated_at = s.updated_at and ${recordStatements(resource).visible}) t on true
      order by s.updated_at, s.resource_id`,
  )
  let last: readonly unknown[] = ['-infinity', beforeAllIds]
  while (!signal.aborted) {
    const rows = await database.query(find, [organizationId, ...last, portion])
    for (const { updated_at: time, resource_id: id, is_former: isFormer } of rows) {
      if (isFormer === true) await database.query(removeOne, [organizationId, kind, time, id])
      last = [time, id]
    }
    if (rows.length === 0) return
  }
}

const removeOne = statement(
  'remove_former_change',
  'delete from last_changes l where l.organization_id = $1 and l.kind = $2 and l.updated_at = $3 and l.resource_id = $4',
)

/** The most rows of one statement. Each of them can be a page of the table that is not in memory. */
const portion = 500

import { defineUpkeep, organizationsWith } from '../jobs/index.ts'
import { recordStatements, visibleIn } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { beforeAllIds } from '../schema/index.ts'
import { type Database, type Row, type Statement, statement } from '../sql/index.ts'

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
        await throughAll(database, addMissing(kind), [id], [beforeAllIds], signal)
        await throughAll(database, removeFormer(kind), [id], ['-infinity', beforeAllIds], signal)
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

/** $1 organization, $2 the last id of the portion before, $3 the most records. A record that is changed meanwhile may get a former change too. */
function addMissing(resource: Resource): Statement {
  const { kind, table } = resource
  return statement(
    `add_last_changes_of_${kind}`,
    `with seen as (
       select t.id, t.updated_at, ${recordStatements(resource).visible} as is_listed
         from ${table.name} t where t.organization_id = $1 and t.id > $2::uuid order by t.id limit $3),
     added as (
       insert into last_changes (organization_id, kind, updated_at, resource_id)
       select $1, '${kind}', s.updated_at, s.id from seen s where s.is_listed on conflict do nothing)
     select s.id from seen s order by s.id desc limit 1`,
  )
}

/** $1 organization, $2 and $3 the last row of the portion before, $4 the most rows. */
function removeFormer(resource: Resource): Statement {
  const { kind, table } = resource
  return statement(
    `remove_former_changes_of_${kind}`,
    `with seen as (
       select l.updated_at, l.resource_id
         from last_changes l
        where l.organization_id = $1 and l.kind = '${kind}' and (l.updated_at, l.resource_id) > ($2::timestamptz, $3::uuid)
        order by l.updated_at, l.resource_id limit $4),
     removed as (
       delete from last_changes l using seen s
        where l.organization_id = $1 and l.kind = '${kind}' and l.updated_at = s.updated_at and l.resource_id = s.resource_id
          and not exists (
            select from ${table.name} t
             where ${visibleIn(resource).join(' and ')} and t.id = s.resource_id and t.updated_at = s.updated_at))
     select s.updated_at, s.resource_id from seen s order by s.updated_at desc, s.resource_id desc limit 1`,
  )
}

/** The most rows of one statement, which takes some tens of milliseconds. */
const portion = 2000

/** Repeats a statement, each time behind the row that the time before returned, until it returns none. */
async function throughAll(
  database: Database,
  step: Statement,
  first: readonly unknown[],
  from: readonly unknown[],
  signal: AbortSignal,
): Promise<void> {
  let last: readonly unknown[] = from
  while (!signal.aborted) {
    const [row]: Row[] = await database.query(step, [...first, ...last, portion])
    if (row === undefined) return
    last = Object.values(row)
  }
}

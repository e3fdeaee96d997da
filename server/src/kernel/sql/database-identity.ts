import type pg from 'pg'
import { nextEpoch } from './epoch.ts'
import { DatabaseIsStandby, failureOf } from './failure.ts'
import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

/**
 * What is done where the database is another one than the installation remembers: the epoch of the change feeds is raised, or it
 * is kept because nothing was lost; `leave` only looks.
 */
export type WhenOther = 'raise' | 'keep' | 'leave'

/** What a database is known by. A part is null where the role may not ask for it; it is not compared then. */
export interface DatabaseIdentity {
  /** Of the cluster, since its initdb. */
  readonly systemIdentifier: string | null
  /** Another one since each promotion, and each recovery to a point in time. */
  readonly timeline: string | null
  /** Of the database in its cluster. */
  readonly databaseOid: string | null
}

const selectSystem = statement(
  'select_system_identifier',
  'select s.system_identifier::text as part from pg_control_system() as s',
)

// The name of the file that is written now tells the timeline at once after a promotion; pg_control_checkpoint tells it when the
// next checkpoint has ended.
const selectTimeline = statement(
  'select_timeline',
  'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as part where not pg_is_in_recovery()',
)

const selectDatabase = statement(
  'select_database_oid',
  `select d.oid::text as part, pg_is_in_recovery() as recovering from pg_database d where d.datname = current_database()`,
)

const selectRemembered = statement(
  'select_remembered_database',
  'select i.system_identifier, i.timeline, i.database_oid from installation i where i.singleton',
)

// Many connections may notice at once that the database is another one. The first changes the row, and the others find it changed.
// Instead of a `case`, in which Citus refuses a function of time, the next epoch is multiplied by one if the database is another one
// and by zero if it is the same. Where nothing is remembered, the product is null, which `greatest` ignores.
const rememberDatabase = statement(
  'remember_database',
  `update installation i
      set epoch = greatest(i.epoch,
            ($4::boolean and (i.system_identifier <> $1 or i.timeline <> $2 or i.database_oid <> $3))::integer * ${nextEpoch}),
          system_identifier = coalesce($1, i.system_identifier),
          timeline = coalesce($2, i.timeline),
          database_oid = coalesce($3, i.database_oid)
    where i.singleton
      and (i.system_identifier, i.timeline, i.database_oid)
          is distinct from (coalesce($1, i.system_identifier), coalesce($2, i.timeline), coalesce($3, i.database_oid))`,
)

/** What a new connection tells of its database, and what the installation remembers; null before its first migration. */
export interface ToldIdentity {
  readonly identity: DatabaseIdentity
  readonly remembered: DatabaseIdentity | null
}

/**
 * Asks a new connection which database it leads to. What it sends leaves at once, together with what was queued before it. Throws
 * `DatabaseIsStandby` for one that is not promoted: connections outlive the promotion, after which they would go unnoticed.
 */
export async function askIdentity(client: pg.ClientBase, patience: number): Promise<ToldIdentity> {
  // Each statement is synchronized by itself: one that is refused leaves the others alone.
  const ask = async ({ text }: Statement): Promise<Row | undefined> => {
    const query = { text, values: [], query_timeout: patience }
    try {
      return (await client.query<Row>(query)).rows[0]
    } catch (error) {
      if (failureOf(error) === 'unavailable') throw error
      return undefined
    }
  }
  const statements = [selectSystem, selectTimeline, selectDatabase, selectRemembered]
  const [system, timeline, database, known] = await Promise.all(statements.map(ask))
  if (database?.recovering === true) throw new DatabaseIsStandby()
  return {
    identity: {
      systemIdentifier: textOf(system?.part),
      timeline: textOf(timeline?.part),
      databaseOid: textOf(database?.part),
    },
    remembered: known === undefined ? null : rememberedIn(known),
  }
}

/** Notes which database this is, if the installation remembers another one or does not know it whole. */
export async function noteIdentity(
  client: pg.ClientBase,
  { identity, remembered }: ToldIdentity,
  whenOther: WhenOther,
  patience: number,
): Promise<void> {
  if (whenOther === 'leave' || remembered === null || isKnown(identity, remembered)) return
  const { systemIdentifier, timeline, databaseOid } = identity
  const values = [systemIdentifier, timeline, databaseOid, whenOther === 'raise']
  const query = { text: rememberDatabase.text, values, query_timeout: patience }
  await client.query(query)
}

const parts = ['systemIdentifier', 'timeline', 'databaseOid'] as const

function isKnown(identity: DatabaseIdentity, remembered: DatabaseIdentity): boolean {
  return parts.every(part => identity[part] === null || identity[part] === remembered[part])
}

function rememberedIn(row: Row): DatabaseIdentity {
  return {
    systemIdentifier: textOf(row.system_identifier),
    timeline: textOf(row.timeline),
    databaseOid: textOf(row.database_oid),
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

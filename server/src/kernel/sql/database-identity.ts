import type pg from 'pg'
import { nextEpoch } from './epoch.ts'
import { DatabaseIsStandby, failureOf } from './failure.ts'
import type { Row } from './row.ts'
import { type Statement, statement } from './statement.ts'

/**
 * What to do if the database is not the one that the installation recorded: `raise` the epoch of the change feeds, or `keep` it because
 * nothing was lost; `leave` only detects it.
 */
export type WhenOther = 'raise' | 'keep' | 'leave'

/** The identity of a database. A part is null if the role may not read it; that part is not compared. */
export interface DatabaseIdentity {
  /** Identifies the cluster, since its initdb. */
  readonly systemIdentifier: string | null
  /** Changes with each promotion and each point-in-time recovery. */
  readonly timeline: string | null
  /** Identifies the database in its cluster. */
  readonly databaseOid: string | null
}

const selectSystem = statement(
  'select_system_identifier',
  'select s.system_identifier::text as part from pg_control_system() as s',
)

// The name of the current WAL file contains the new timeline at once after a promotion; pg_control_checkpoint reports it only after the
// next checkpoint.
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

// Many connections may detect at once that the database is another one. The first updates the row, and the others find it updated. Citus
// refuses a time function in a `case`, so the next epoch is multiplied by one if the database is another one and by zero if it is the same.
// If nothing is recorded, the product is null, which `greatest` ignores.
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

/**
 * The identity of the database behind a new connection, and the identity that the installation recorded; null before the first migration.
 */
export interface ToldIdentity {
  readonly identity: DatabaseIdentity
  readonly remembered: DatabaseIdentity | null
}

/**
 * Reads the identity of the database behind a new connection. Its statements are sent at once, together with those queued before. Throws
 * `DatabaseIsStandby` for a standby: connections survive its promotion, which would then not be detected.
 */
export async function askIdentity(client: pg.ClientBase, patience: number): Promise<ToldIdentity> {
  // Each statement has its own sync, so an error in one does not affect the others.
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

/** Records which database this is, if the recorded identity differs or is incomplete. */
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

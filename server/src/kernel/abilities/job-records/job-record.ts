import { unattended } from '../../auth/actor.ts'
import type { JobProgress } from '../../jobs/index.ts'
import type { Services } from '../../services.ts'
import { claimedStatement, type Row, type Statement, statement } from '../../sql/index.ts'

/** The declaration of a record of background work: an import, an export, a bulk job. */
interface JobRecordDeclaration<State> {
  /** The name of its job in the queue, of its audit entries and of its statements: `bulk_job`. */
  readonly kind: string
  readonly table: string
  /**
   * The selected columns of a row `j`, where $1 is the organization. Each is named, because a later release may add columns while this one
   * runs.
   */
  readonly columns: string
  /** Further columns for the answer about a single record, where $2 is the application and $3 the id. */
  readonly detail?: string
  /** The SQL condition of a row `j` whose job should be in the queue. */
  readonly queued: string
  /** Whether requests see only the records of their own application; otherwise they see all of the organization. */
  readonly ofApplication: boolean
  /** Whether users see only the records that they have started, unless they may see what everybody does. */
  readonly isPrivate?: true
  /** The column by which a list is filtered. */
  readonly filter?: string
  /** Reads a row with these columns. */
  read(row: Row): State
  /** The progress of the work; further members of the result are ignored. */
  progress(state: State): JobProgress
}

/** What a request sees. */
interface SeenRecords {
  /** A record: $1 organization, $2 application if `ofApplication`, then the id. */
  readonly one: Statement
  /**
   * A page of the records, the newest first. Values: those of `one` without the id, the limit, time and id of the last record of the
   * previous page if the page `goesOn`, and the value of the filter if it `isFiltered`.
   */
  page(goesOn: boolean, isFiltered: boolean): Statement
}

export interface JobRecord<State> extends JobRecordDeclaration<State>, SeenRecords {
  /** The same with the user who started it as the value before the id; null unless the records are private. */
  readonly ofStarter: SeenRecords | null
  /** What users see: $1 organization, $2 id. Applications do not matter. */
  readonly oneOfOrganization: Statement
  /** $1 organization, $2 id: the record, whatever its application. */
  readonly any: Statement
  /** The same with a lock, which every change of the record holds. */
  readonly lock: Statement
  /** $1 organization, $2 time, $3 the limit: ids of records that were requested before the time and should be in the queue. */
  readonly waiting: Statement
}

/** Compiles the statements of a record of background work. */
export function defineJobRecord<State>(declared: JobRecordDeclaration<State>): JobRecord<State> {
  const { kind, table, columns, detail, queued, ofApplication, isPrivate } = declared
  const own = `j.organization_id = $1${ofApplication ? ' and j.application_id = $2' : ''}`
  const first = ofApplication ? 3 : 2
  const select = `select ${columns} from ${table} j where j.organization_id = $1 and j.id = $2`
  return {
    ...declared,
    ...seenRecords(declared, '', own, first),
    ofStarter: isPrivate
      ? seenRecords(declared, '_of_starter', `${own} and j.started_by = $${first}`, first + 1)
      : null,
    oneOfOrganization: statement(
      `select_${kind}_of_organization`,
      `select ${columns}${detail === undefined ? '' : `, ${detail}`} from ${table} j where j.organization_id = $1 and j.id = $2`,
    ),
    any: statement(`select_any_${kind}`, select),
    lock: claimedStatement(`lock_${kind}`, `${select} for no key update`),
    waiting: statement(
      `select_waiting_${table}`,
      `select j.id from ${table} j
    where j.organization_id = $1 and ${queued} and j.created_at < $2
    order by j.created_at, j.id limit $3`,
    ),
  }
}

/** The statements for the records that fulfil a condition, whose first free parameter has the number `first`. */
function seenRecords<State>(
  { kind, table, columns, detail, filter }: JobRecordDeclaration<State>,
  suffix: string,
  own: string,
  first: number,
): SeenRecords {
  const pageOf = (goesOn: boolean, by: string | undefined) => {
    const behind = goesOn ? ` and (j.created_at, j.id) < ($${first + 1}, $${first + 2})` : ''
    const filtered = by === undefined ? '' : ` and j.${by} = $${first + (goesOn ? 3 : 1)}`
    return statement(
      `list${goesOn ? '_more' : ''}_${table}${suffix}${by === undefined ? '' : `_by_${by}`}`,
      `select ${columns}
     from ${table} j
    where ${own}${behind}${filtered}
    order by j.created_at desc, j.id desc limit $${first}`,
    )
  }
  const pagesOf = (by?: string) => [pageOf(false, by), pageOf(true, by)] as const
  const plain = pagesOf()
  const filtered = filter === undefined ? plain : pagesOf(filter)
  return {
    one: statement(
      `select_${kind}${suffix}`,
      `select ${columns}${detail === undefined ? '' : `,\n          ${detail}`}
     from ${table} j
    where ${own} and j.id = $${first}`,
    ),
    page: (goesOn, isFiltered) => (isFiltered ? filtered : plain)[goesOn ? 1 : 0],
  }
}

/** The organization and services of a job. */
export interface JobSurroundings {
  readonly organizationId: string
  readonly services: Services
}

/** The present record of a job; null if it is gone. */
export async function findJobRecord<State>(
  { any, read }: JobRecord<State>,
  id: string,
  { organizationId, services }: JobSurroundings,
): Promise<State | null> {
  const [row] = await services.database.query(any, [organizationId, id], unattended(organizationId))
  return row === undefined ? null : read(row)
}

import { defineJobRecord, fieldWithPhones, type Kinds, Lookup, type Resource } from '../../kernel/index.ts'
import { textOrNull } from '../../kernel/schema/index.ts'
import { claimedStatement, type Row } from '../../kernel/sql/index.ts'
import { defineTable, type RowChange } from '../../kernel/write/index.ts'

/** The progress of normalizing the phone numbers of an organization. */
export interface Normalization {
  readonly id: string
  readonly status: string
  /** The kind of records to read, and the id after which to continue; null at the beginning. */
  readonly kind: string | null
  readonly lastId: string | null
  /** How many records were read, and for how many the E.164 form changed. */
  readonly examined: number
  readonly changed: number
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

function toNormalization(row: Row): Normalization {
  return {
    id: String(row.id),
    status: String(row.status),
    kind: textOrNull(row.kind),
    lastId: textOrNull(row.last_id),
    examined: Number(row.examined),
    changed: Number(row.changed),
    startedAt: textOrNull(row.started_at),
    finishedAt: textOrNull(row.finished_at),
  }
}

/** Each organization has one row at most. */
export const phoneNormalizations = defineTable('phone_normalizations', [], {
  id: 'uuid',
  status: 'text',
  kind: 'text',
  last_id: 'uuid',
  examined: 'bigint',
  changed: 'bigint',
  created_at: 'timestamptz',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
})

/** The row of a new run, which replaces the previous one. */
export function firstRow(id: string, isAnother: boolean, now: string): RowChange {
  const begun = { status: 'queued', kind: null, last_id: null, examined: 0, changed: 0 }
  const times = { created_at: now, started_at: null, finished_at: null }
  return {
    table: phoneNormalizations,
    operation: isAnother ? 'update' : 'insert',
    row: { id, ...begun, ...times },
  }
}

/** The kinds with phone numbers, in the order of processing. */
export function kindsToRead({ resources }: Pick<Kinds, 'resources'>): readonly Resource[] {
  return resources.filter(resource => fieldWithPhones(resource) !== undefined)
}

/** The run of an organization, which only operators can see. */
export const normalizationRecord = defineJobRecord({
  kind: 'phone_normalization',
  table: 'phone_normalizations',
  columns: 'j.id, j.status, j.kind, j.last_id, j.examined, j.changed, j.started_at, j.finished_at',
  queued: 'j.finished_at is null',
  ofApplication: false,
  read: toNormalization,
  progress: run => ({ ...run, counters: { changed: run.changed }, done: run.examined, total: null }),
})

/** The run of an organization, locked; null if it has none. */
export const lockedNormalization = new Lookup(
  claimedStatement(
    'lock_phone_normalization_of_organization',
    `select ${normalizationRecord.columns} from phone_normalizations j where j.organization_id = $1 for no key update`,
  ),
  [],
  ([row]) => (row === undefined ? null : toNormalization(row)),
)

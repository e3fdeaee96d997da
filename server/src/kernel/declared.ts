import type { Scope } from './auth/index.ts'
import type { CheckedBody } from './input/index.ts'
import type { Kinds, Resource } from './record/index.ts'
import type { JsonObject, JsonSchema } from './schema/index.ts'
import type { Row, Transaction } from './sql/index.ts'
import type { KnownAs } from './write/person-mentions.ts'
import type { RecordChange } from './write/record-change.ts'

/**
 * A change that a bulk job can make to many records of one kind. Modules declare it with `bulkUpdate` and `bulkTransition` (contract
 * section 10.1).
 */
export interface BulkAction {
  readonly resource: Resource
  /** `update`, or the verb of a transition such as `move`. */
  readonly name: string
  /** JSON Schemas of the members that `changes` may have, and the names of the required ones. */
  readonly members: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  /** Checks `changes` and returns them in the stored form; the paths of issues start with `path` (gate 7). */
  check(changes: unknown, path: string): CheckedBody
  /** The scopes that the values in `changes` need (gate 8). */
  valueScopes(changes: JsonObject): readonly string[]
  /** The change of one record. */
  changing(target: BulkTarget, changes: JsonObject, kinds: Kinds): RecordChange
}

/** One record of a bulk job. Without an expected version the change is made whatever the version is. */
export interface BulkTarget {
  readonly id: string
  readonly expectedVersion: number | null
}

/** What a module has done to erase a person from its data. */
export interface ErasedElsewhere {
  /** The number of items that held data of the person, by kind. */
  readonly reached: Readonly<Record<string, number>>
  /** Rows of files to remove, locked: `id`, `purpose` and `size`. */
  readonly files: readonly Row[]
  /** Ids of what mentioned the person: stored answers about these are dropped. */
  readonly ids: readonly string[]
}

/** A person to erase. */
export interface ErasedPerson {
  /** Its record, and those that were merged into it. */
  readonly ids: readonly string[]
  /** null if the person has no name, address or number. */
  readonly known: KnownAs | null
}

/**
 * Erases a person from the data of a module, in the transaction that erases the record.
 */
export type ErasePerson = (
  transaction: Transaction,
  organizationId: string,
  person: ErasedPerson,
) => Promise<ErasedElsewhere>

/** A type of jobs whose ends the change feed tells, and the scope that reads them. */
export interface JobType {
  readonly type: string
  readonly scope: Scope
}

/** The kinds of records of all modules, the bulk actions on them, the functions that erase a person, and the types of jobs. */
export interface Declared extends Kinds {
  readonly bulkActions: readonly BulkAction[]
  readonly erasures: readonly ErasePerson[]
  readonly jobTypes: readonly JobType[]
}

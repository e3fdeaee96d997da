import type { CheckedBody } from './input/index.ts'
import type { Kinds } from './record/define-nested.ts'
import type { Resource } from './record/resource.ts'
import type { JsonObject, JsonSchema } from './schema/index.ts'
import type { Row, Transaction } from './sql/index.ts'
import type { KnownAs } from './write/known-as.ts'
import type { RecordChange } from './write/record-change.ts'

/**
 * Something that a bulk job can do to many records of one kind. Modules declare it with `bulkUpdate` and
 * `bulkTransition` (contract section 10.1).
 */
export interface BulkAction {
  readonly resource: Resource
  /** `update`, or the verb of a transition such as `move`. */
  readonly name: string
  /** JSON Schemas of the members that `changes` can have, and the names of those that it must have. */
  readonly members: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  /** Checks `changes` and gives them in the form in which they are kept, with paths of issues below `path` (gate 7). */
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

/** What a module has done to take a person out of what it keeps. */
export interface ErasedElsewhere {
  /** In how many places, by their kind. */
  readonly reached: Readonly<Record<string, number>>
  /** Rows of files that are to go, locked: `id`, `purpose` and `size`. */
  readonly files: readonly Row[]
  /** Ids of what told of the person: stored answers that tell of these are dropped. */
  readonly ids: readonly string[]
}

/**
 * Takes a person out of what a module keeps, in the transaction that erases the record; `known` is null where the person has no
 * name, address or number.
 */
export type ErasePerson = (
  transaction: Transaction,
  organizationId: string,
  known: KnownAs | null,
) => Promise<ErasedElsewhere>

/** The kinds of records of all modules, what can be done to many of them, and who else knows of persons. */
export interface Declared extends Kinds {
  readonly bulkActions: readonly BulkAction[]
  readonly erasures: readonly ErasePerson[]
}

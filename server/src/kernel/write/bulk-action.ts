import type { CheckedBody } from '../input/index.ts'
import type { Kinds } from '../record/define-nested.ts'
import type { Resource } from '../record/resource.ts'
import type { JsonObject, JsonSchema } from '../schema/index.ts'
import type { ErasePerson } from './erasure.ts'
import type { RecordChange } from './record-change.ts'

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

/** The kinds of records of all modules, what can be done to many of them, and who else knows of persons. */
export interface Declared extends Kinds {
  readonly bulkActions: readonly BulkAction[]
  readonly erasures: readonly ErasePerson[]
}

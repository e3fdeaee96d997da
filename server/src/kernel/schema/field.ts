import type { Issue, Refusal } from '../errors/index.ts'
import type { Directory, OrganizationSettings } from './directory.ts'
import type { JsonSchema } from './json.ts'

/** Protected values, by the name that `meta.redacted` gives them (contract section 5). */
export type Projection = 'contact_data' | 'amounts' | 'custom_fields' | 'operators' | 'tags'

/** A reference in a request: exactly one of the two keys. */
export type Reference = { readonly id: string } | { readonly externalId: string }

/** How a field is kept in a table of its own, one row a link, instead of in a column. */
export interface Links {
  /** Kind of the records that are linked. */
  readonly kind: string
  readonly table: string
  readonly ownerColumn: string
  readonly targetColumn: string
  /**
   * Where the linked records can be anonymized: their table, and the member of a loaded record that lists the linked
   * ids that are.
   */
  readonly anonymized?: { readonly table: string; readonly member: string }
}

/** How two lists become one when records are merged. */
export interface MergedList {
  /** Most items that the united list may have. */
  readonly most: number
  /** Items of equal text are the same. */
  identify(item: unknown): string
  /** An item of the secondary as it stands behind those of the primary, where that is not as it was. */
  behind?(item: unknown): unknown
  /** The order says nothing: the list is kept ascending, so that equal sets are equal lists. */
  readonly isSet?: true
}

/** A member of a value whose members are merged one by one. */
export interface MergedMember {
  readonly name: string
  /** Whether its values are lists, which are united: no choice has to be made. */
  readonly isList: boolean
}

/** How two values of a field become one when records are merged; what neither says is a choice of the client. */
export interface FieldMerge {
  /** The value is an object whose members are merged one by one: which names these can have, as a regular expression. */
  readonly memberPattern?: string
  /** The members that there are in an organization, whether or not a record of this kind has a value for them. */
  membersIn?(directory: Directory, kind: string): readonly MergedMember[]
  /** How a list is united, null for what is no list; `member` is '' for the value itself. */
  listOf?(member: string): MergedList | null
}

/** What a field may look at when it presents its value. */
export interface PresentContext {
  readonly organization: OrganizationSettings
  /** The time of the answer. */
  readonly now: string
}

/** What a field may look at when it accepts a value. */
export interface AcceptContext {
  readonly directory: Directory
  /** JSON pointer of the value in the request. */
  readonly path: string
  /** Kind of the resource that the field belongs to. */
  readonly kind: string
  /** Whether the token may manage custom fields, and so must fill the required ones. */
  readonly managesCustomFields: boolean
}

/**
 * `tags`: set through the tag routes. `customFields`: values of the organization's own fields. `anonymizedAt`: since when a
 * record holds no person any more, and counts as gone.
 */
export type FieldRole = 'tags' | 'customFields' | 'anonymizedAt'

/**
 * One field of a resource: its form in requests and answers, its column, who may read and write it, and its rules.
 * `Value` is what the record holds in memory. Everything generic is derived from declarations of this type.
 */
export interface Field<Value = unknown> {
  /** JSON Schema of the value in requests; absent: read-only. */
  readonly input?: JsonSchema
  /** JSON Schema of each response member that the field gives, by name; absent: `{[name]: input}`. */
  readonly output?: Readonly<Record<string, JsonSchema>>
  /** PostgreSQL type of the column; absent: not in the row. */
  readonly column?: string
  /** Name of the column, unless it is the field's in snake case. */
  readonly columnName?: string
  readonly links?: Links
  /** Kind of the one record that the field refers to: the value is its id, or null. */
  readonly refersTo?: string
  /** Where that record can be anonymized: its table, and the member of a loaded record that says whether it is. */
  readonly anonymized?: { readonly table: string; readonly member: string }
  /** The word for the field in change events and audit entries, unless it is that of its response member. */
  readonly changedAs?: string
  readonly requiredOnCreate?: boolean
  readonly createOnly?: boolean
  readonly patchOnly?: boolean
  /** What to do instead, where a request cannot set the field. */
  readonly hint?: string
  /** Removed from answers without the matching read scope. */
  readonly readGuard?: Projection
  /** Refused in requests without this scope. */
  readonly writeScope?: string
  /** How two values become one when records are merged; absent: where they differ, the client chooses one. */
  readonly merge?: FieldMerge
  /** Emptied when the person is anonymized. */
  readonly personal?: boolean
  /** What the kernel does with the field besides keeping it; a kind has at most one field of each role. */
  readonly role?: FieldRole
  readonly search?: 'names' | 'contactData' | 'customFields'
  /** People write into it what they like, and so it may mention persons whom nothing links to the record. */
  readonly freeText?: boolean
  readonly description?: string
  readonly example?: unknown
  /** Value of a new record whose request leaves the field out. */
  readonly initial: Value
  /** Brings a request value into the form that is validated (trim, NFC); sees values of any type. */
  tidy?(value: unknown): unknown
  /** What the JSON Schema cannot say and the request alone decides (400). */
  inspect?(value: unknown, path: string): Issue[]
  /** What to tell of a fault at or below the field that the JSON Schema found, where its own words do not help. */
  explain?(issue: Issue): string | undefined
  /** The record's next value, from a valid request value (422 otherwise). */
  accept?(value: unknown, previous: Value, context: AcceptContext): Value | Refusal
  /** Response members, from the record's value. */
  present?(value: Value, record: Readonly<Record<string, unknown>>, context: PresentContext): Record<string, unknown>
  /** The text by which search finds the value. */
  searchText?(value: Value): string
  /** What other texts may call a person who has the value. */
  mentionedAs?(value: Value): string[]
}

export type Fields = Readonly<Record<string, Field>>

/** The type of the value a field holds. */
export type ValueOf<F> = F extends Field<infer Value> ? Value : never

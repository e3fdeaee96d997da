import type { Issue, Refusal } from '../errors/index.ts'
import type { Column, ColumnContext } from './column.ts'
import type { Configuration, OrganizationSettings } from './configuration.ts'
import type { FieldFilters } from './filter.ts'
import type { FieldForm } from './form.ts'
import type { JsonSchema } from './json.ts'

/** Names of the groups of protected values, as `meta.redacted` lists them (contract section 5). */
export type Projection = 'contact_data' | 'amounts' | 'custom_fields' | 'operators' | 'tags'

/** A reference in a request, by exactly one of the two members. */
export type Reference = { readonly id: string } | { readonly externalId: string }

/** A kind of records that references can refer to. Every declared resource is one. */
export interface ReferenceTarget {
  readonly kind: string
  readonly table: { readonly name: string }
  readonly scopes: { readonly read: string }
  readonly roles: Readonly<Partial<Record<FieldRole, string>>>
}

/** The table of a field that is stored as links, one row each, instead of in a column. */
export interface Links {
  /** The kind of the linked records. */
  readonly kind: string
  readonly table: string
  readonly ownerColumn: string
  readonly targetColumn: string
  /**
   * Set if the linked records can be anonymized: their table, and the member of a loaded record that lists the ids of the anonymized ones.
   */
  readonly anonymized?: { readonly table: string; readonly member: string }
}

/** How two lists become one when records are merged. */
export interface MergedList {
  /** The most items of the merged list. */
  readonly most: number
  /** The identity of an item: two items with the same text are the same. */
  identify(item: unknown): string
  /** Changes an item of the secondary record before it is appended to the items of the primary record. */
  behind?(item: unknown): unknown
  /** The order has no meaning: the list is kept sorted, so that equal sets are equal lists. */
  readonly isSet?: true
}

/** A member of a value whose members are merged one by one. */
export interface MergedMember {
  readonly name: string
  /** Whether its values are lists, which are united without asking the client. */
  readonly isList: boolean
}

/** How two values of a field become one when records are merged. The client chooses whatever this leaves open. */
export interface FieldMerge {
  /** The value is an object whose members are merged one by one; a regular expression for their names. */
  readonly memberPattern?: string
  /** The members that an organization has configured, whether or not a record has a value for them. */
  membersIn?(configuration: Configuration, kind: string): readonly MergedMember[]
  /** How to unite the list in a member; null if it is not a list. `member` is '' for the value itself. */
  listOf?(member: string): MergedList | null
}

/** What a field can use to present its value. */
export interface PresentContext {
  readonly organization: OrganizationSettings
  /** The time of the answer. */
  readonly now: string
}

/** What a field can use to accept a value. */
export interface AcceptContext {
  readonly configuration: Configuration
  /** JSON pointer of the value in the request. */
  readonly path: string
  /** The kind of the record. */
  readonly kind: string
  /** Whether the token may manage custom fields. If so, it must also fill the required ones. */
  readonly managesCustomFields: boolean
}

/**
 * `tags`: the field is set through the tag routes. `customFields`: it contains values of custom fields. `anonymizedAt`: it contains the
 * time at which the record was anonymized; from then on the record counts as removed.
 */
export type FieldRole = 'tags' | 'customFields' | 'anonymizedAt'

/** How requests set a field. */
interface FieldRequest<Value> {
  /** JSON Schema of the value in requests; a field without it is read-only. */
  readonly input?: JsonSchema
  readonly requiredOnCreate?: boolean
  readonly createOnly?: boolean
  readonly patchOnly?: boolean
  /** What a client must do instead, if a request cannot set the field. */
  readonly hint?: string
  /** Requests that set the field are refused without this scope. */
  readonly writeScope?: string
  /** White space around the text is kept. */
  readonly keepsSpace?: true
  /** The control or option with which people fill it in. */
  readonly form?: FieldForm
  /** Normalises a request value before it is validated (trim, NFC). The value can have any type. */
  tidy?(value: unknown): unknown
  /** Issues that depend on the request only and that JSON Schema cannot express (400). */
  inspect?(value: unknown, path: string): Issue[]
  /** A better message for an issue that the JSON Schema check found at or below the field. */
  explain?(issue: Issue): string | undefined
  /** The next value of the record, from a valid request value; or a refusal (422). */
  accept?(value: unknown, previous: Value, context: AcceptContext): Value | Refusal
}

/**
 * SQL of the condition under which the record `t` of the kind refers to the setting with the id $2. `column` is that of the field.
 */
export type NamesSetting = (column: string, kind: string) => string

/** Where the value of a field is stored, and what it refers to. */
interface FieldStorage<Value> {
  /** PostgreSQL type of the column; a field without it has no column. */
  readonly column?: string
  /** Name of the column; the field's name in snake case if left out. */
  readonly columnName?: string
  /** SQL of a value that is read from other tables; `t` is the row of the record, $1 its organization. */
  readonly select?: string
  /** The value depends on other records: a new value is not a change of this record. */
  readonly isCounted?: true
  /** The value of a new record if the request leaves the field out. */
  readonly initial: Value
  readonly links?: Links
  /** The kind of the one record that the field refers to. The value is its id, or null. */
  readonly refersTo?: string
  /** Set if that record can be anonymized: its table, and the member of a loaded record that says whether it is. */
  readonly anonymized?: { readonly table: string; readonly member: string }
  /** How the value refers to settings, by their kinds. A setting to which a record refers is not removed. */
  readonly namesSettings?: Readonly<Record<string, NamesSetting>>
  /** The value is stored encrypted: rules see the ciphertext, and nothing shows or stores the plain text. */
  readonly isSecret?: true
}

/** How answers, change events and the OpenAPI document show a field. */
interface FieldAnswer<Value> {
  /** JSON Schema of each response member of the field, by name; `{[name]: input}` if left out. */
  readonly output?: Readonly<Record<string, JsonSchema>>
  /** Answers leave the field out without the read scope of this projection. */
  readonly projection?: Projection
  readonly description?: string
  readonly example?: unknown
  /** The response members of the record's value. */
  present?(value: Value, record: Readonly<Record<string, unknown>>, context: PresentContext): Record<string, unknown>
}

/** What happens to a value when persons are erased or records merged. */
interface FieldPerson<Value> {
  /** How two values become one when records are merged. Without it, the client chooses between two different values. */
  readonly merge?: FieldMerge
  /** The field is emptied when the person is anonymized. */
  readonly personal?: boolean
  /** Free text: it may mention persons that the record does not link to. */
  readonly freeText?: boolean
  /** Texts by which other records may mention a person with this value in this record. */
  mentionedAs?(value: Value, record: Readonly<Record<string, unknown>>): string[]
}

/** How a search finds a value. */
interface FieldSearch<Value> {
  readonly search?: 'names' | 'contactData' | 'customFields'
  /** The text by which a search finds the value. */
  searchText?(value: Value): string
}

/** How lists are sorted by a value. */
export interface FieldOrder {
  /** Its word in `sort`; the name of the field if left out. */
  readonly as?: string
  /** PostgreSQL type of the compared value. */
  readonly type: string
  /** Whether the value can be empty. */
  readonly isNullable: boolean
  /** Whether it is the time of the last change, which a table of its own has in order: see `ListOrder`. */
  readonly isLastChange?: boolean
  /** SQL of the compared value, if it is not that of the column. */
  value?(column: string): string
}

/** How lists choose and sort records by a value. */
interface FieldSelection {
  /** The parameters that choose records, by their names. Exports have some of them. */
  readonly filters?: FieldFilters
  /** Set if lists can be sorted by it. */
  readonly order?: FieldOrder
}

/** The columns of a value in files of imports and exports. */
interface FieldFile<Value> {
  /** Exports have a column for the field, although requests cannot set it. */
  readonly exported?: boolean
  /** Its columns in files; by default one column with its text. `name` is the name of the field. */
  columns?(name: string, context: ColumnContext): readonly Column<Value>[]
}

/**
 * One field of a resource. `Value` is the type that a record holds in memory. Everything generic is derived from these declarations: forms,
 * columns, scopes, answers, events, merges, searches, files. The groups say what each member is for. A declaration is flat, so that it can
 * extend another one and change a member: `{ ...requiredText({ max: 200 }), createOnly: true }`.
 */
export interface Field<Value = unknown>
  extends FieldRequest<Value>,
    FieldStorage<Value>,
    FieldAnswer<Value>,
    FieldPerson<Value>,
    FieldSearch<Value>,
    FieldSelection,
    FieldFile<Value> {
  /** A special task of the field. A kind has at most one field for each role. */
  readonly role?: FieldRole
}

export type Fields = Readonly<Record<string, Field>>

/** The type of the value a field holds. */
export type ValueOf<F> = F extends Field<infer Value> ? Value : never

import type { BodyDeclaration } from '../input/index.ts'
import type {
  Configuration,
  Field,
  FieldRole,
  Fields,
  Issue,
  JsonObject,
  JsonSchema,
  Links,
  Projection,
  Refusal,
  ValueOf,
} from '../schema/index.ts'
import type { Statement } from '../sql/index.ts'
import type { Writer } from '../writer.ts'
import type { RowChange, Table } from './table.ts'

/** What every record has. */
export interface RecordHead {
  readonly id: string
  /** The key of the calling application. */
  readonly externalId: string | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdByApplicationId: string | null
  readonly createdByUuid: string | null
  readonly updatedByUuid: string | null
}

/** A record in memory: its head and a value for each declared field. */
export type RecordState = RecordHead & { readonly [field: string]: unknown }

/** The typed form of `RecordState` for one resource's fields. */
export type StateOf<F extends Fields> = RecordHead & { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** Facts of the transaction that decisions and rows depend on. */
export interface WriteContext
  extends Pick<
    Writer,
    'organizationId' | 'applicationId' | 'author' | 'requestId' | 'clientRequestId' | 'managesCustomFields'
  > {
  readonly configuration: Configuration
  /** The transaction's time, as answers show it. */
  readonly now: string
  readonly transactionId: string
  /** Between 0 and 1: the only source of randomness in a decision. */
  random(): number
  /** What is kept of the external key of a removed record. */
  goneKey(externalId: string): string
}

/** What a resource's rules may look at. */
export interface SettleContext<State> {
  readonly previous: State | null
  /** The request's own members, already valid in form. */
  readonly input: JsonObject
  readonly write: WriteContext
  /** Rows of a statement that `needs` asked for. */
  extra(name: string): readonly Record<string, unknown>[]
  /** Records of this kind as the transaction holds them now, for rules that look sideways. */
  siblings(): Iterable<State>
  /** What a nested record belongs to. */
  readonly parent: RecordState | null
}

/** A statement that a rule needs the rows of, beside the record itself: a `claimedStatement`. */
export interface ExtraNeed {
  readonly name: string
  readonly statement: Statement
  /** From $2 on: $1 is the organization. */
  readonly values: readonly unknown[]
}

/** One change of one nested record. */
export interface NestedStep {
  readonly resource: Resource
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** A record that references were led away from, and the one that they lead to now; null: they were taken away. */
export interface Replacement {
  readonly kind: string
  readonly id: string
  readonly other: string | null
  /** Whether the record goes for good with the person in it. */
  readonly erases: boolean
}

/** Pure rules of one resource. All are optional: a resource without rules is stored as it is sent. */
export interface Rules<State = RecordState> {
  /** What the request alone shows to be wrong on create (400). */
  inspectCreate?(input: JsonObject): Issue[]
  /** What the request alone shows to be wrong on update (400). */
  inspectPatch?(input: JsonObject): Issue[]
  /** What must be loaded for `settle` of a record that may be new. */
  needs?(input: JsonObject, configuration: Configuration): ExtraNeed[]
  /** Computes what the server decides, and refuses what stored state or other fields forbid (422). */
  settle?(next: State, context: SettleContext<State>): State | Refusal
  /** What must hold also after somebody else's change took a link away; a refusal names why not. */
  invariant?(next: State): Refusal | null
  /** What texts may call a person by several fields together: the full name. */
  mentionedAs?(state: State): string[]
  /** Word of the change event when it is more than created, updated, deleted: `deal.moved`. */
  eventKind?(before: State, after: State): string | null
  /** What a change of nested records makes of the record that they belong to: sums, counts. */
  reflect?(state: State, steps: readonly NestedStep[], write: WriteContext): State
  /** Of a nested kind: how many of a record's follow the change that a request makes of the record. They are loaded. */
  followed?(parent: RecordState, input: JsonObject, configuration: Configuration): number
  /** What a change of the record that it belongs to makes of a nested record; a refusal (422) forbids the change. */
  follow?(state: State, parent: RecordState, write: WriteContext): State | Refusal
  /**
   * Rows of other tables that a change of the record writes, such as entries of its own feed. `merged` are records that it
   * referred to and that were merged into others.
   */
  sideRows?(
    before: State | null,
    after: State | null,
    write: WriteContext,
    steps: readonly NestedStep[],
    merged: readonly Replacement[],
  ): RowChange[]
}

export interface ResourceScopes {
  readonly read: string
  readonly write: string
  readonly delete: string
}

/** How a resource's records are written: the body of each ability, compiled once. */
export interface ResourceInput {
  readonly create: BodyDeclaration
  readonly patch: BodyDeclaration
  readonly upsert: BodyDeclaration
  /** Fields that must have a value before a record can be created. */
  readonly required: readonly string[]
}

/** How records become rows and answers; compiled once, because every request does both. */
export interface RecordCodec {
  /** Members that every record has, and their columns. */
  readonly head: readonly (readonly [member: string, column: string])[]
  /** Values of a new record. */
  readonly initial: Readonly<Record<string, unknown>>
  readonly stored: readonly (readonly [field: string, column: string])[]
  readonly shown: readonly (readonly [field: string, present: Field['present']])[]
  /** An answer without values, in the order of its members. */
  readonly blank: JsonObject
  /** What can change: every field that is kept, and the key. */
  readonly names: readonly string[]
  /** Those of them that are seen outside, the response member, and the word in change events and audit entries. */
  readonly shared: readonly { readonly name: string; readonly member: string; readonly as: string }[]
  readonly searched: readonly (readonly [field: string, text: NonNullable<Field['search']>, of: Field['searchText']])[]
}

/** A field that refers to records of another kind, and where its ids are kept. */
export interface ReferenceField {
  readonly name: string
  readonly kind: string
  readonly table: string
  readonly ownerColumn: string
  readonly targetColumn: string
}

/** A field that holds links to other records, and the table that keeps them. */
export interface LinkField {
  readonly name: string
  readonly links: Links
  readonly table: Table
}

/** What a nested record belongs to. */
export interface Parent {
  /** A resource, or a nested record itself. */
  readonly resource: Resource
  /** The field that holds the parent's id: `dealId`. */
  readonly member: string
  /** The path parameter that holds it. */
  readonly parameter: string
  /** What change events and audit entries of the resource at the top call this part of it: `items`. */
  readonly part: string
  /** Whether each has a place in its parent, shown as `position`, and kept as `rank`. */
  readonly isPlaced: boolean
  /**
   * The field whose record stands at most once in a parent. The nested record is a link then: shown as part of a set,
   * without an id and a version of its own.
   */
  readonly uniqueReference?: string
}

/** A declared resource, compiled: what abilities, the write path and the documentation read. */
export interface Resource {
  /** Singular: in change events, audit entries and keys. */
  readonly kind: string
  /** Plural: in paths. */
  readonly plural: string
  readonly scopes: ResourceScopes
  /** null: records stand alone, with keys and authors. */
  readonly parent: Parent | null
  readonly fields: Fields
  /** The names of the fields that have a role. */
  readonly roles: Readonly<Partial<Record<FieldRole, string>>>
  /** Whether records hold a person's data, which can be erased. */
  readonly personal: boolean
  /** The fields that a search hit shows as its title and its subtitle. */
  readonly hit: { readonly title: string; readonly subtitle: string | null }
  readonly rules: Rules
  readonly input: ResourceInput
  readonly table: Table
  readonly links: readonly LinkField[]
  /** Every field that refers to other records: lists of links, and single references. */
  readonly references: readonly ReferenceField[]
  readonly codec: RecordCodec
  /** `Contact`: in names of components. */
  readonly title: string
  /** JSON Schema of a record in answers. */
  readonly output: JsonSchema
  /** Hides the whole record, as `amounts` hides the items of deals. */
  readonly projection?: Projection
  /** The response members that each projection takes away. */
  readonly protectedMembers: ReadonlyMap<Projection, readonly string[]>
}

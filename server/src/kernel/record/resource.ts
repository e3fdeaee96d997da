import type { Actor } from '../auth/actor.ts'
import type { Conventions } from '../conventions.ts'
import type { BodyDeclaration } from '../input/index.ts'
import type {
  Configuration,
  Field,
  FieldFilter,
  FieldOrder,
  FieldRole,
  Fields,
  Issue,
  JsonObject,
  JsonSchema,
  Links,
  PresentContext,
  Projection,
  Refusal,
  ValueOf,
} from '../schema/index.ts'
import type { Lookup } from './lookup.ts'
import type { RowChange, Table } from './table.ts'

/** The members of every record. */
export interface RecordHead {
  readonly id: string
  /** The external key that the calling application gave it. */
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

/** `RecordState` with the types of one resource's fields. */
export type StateOf<F extends Fields> = RecordHead & { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** Facts about the transaction that decisions and rows depend on, and in which a write presents the records that it has decided. */
export interface WriteContext
  extends Pick<
      Actor,
      'organizationId' | 'applicationId' | 'author' | 'requestId' | 'clientRequestId' | 'origin' | 'managesCustomFields'
    >,
    PresentContext {
  readonly configuration: Configuration
  /** The time of the transaction, in the format of answers. */
  readonly now: string
  readonly transactionId: string
  /** A number between 0 and 1: the only randomness in a decision. */
  random(): number
  /** Returns the text that is stored instead of the external key of a removed record. */
  goneKey(externalId: string): string
  /** Encrypts a secret of a record for storage, so that it can be decrypted later. The result differs each time. */
  encrypt(secret: string, place: { readonly kind: string; readonly recordId: string }): string
}

/** What the rules of a resource may read. */
export interface SettleContext<State> {
  readonly previous: State | null
  /** The members of the request, with their form checked. */
  readonly input: JsonObject
  readonly write: WriteContext
  /** The result of a look-up that `needs` has requested. */
  read<Value>(lookup: Lookup<Value>): Value
  /** All records of this kind in the working set, for rules that compare a record with its neighbours. */
  siblings(): Iterable<State>
  /** The parent of a nested record. */
  readonly parent: RecordState | null
}

/** One change of one nested record. */
export interface NestedStep {
  readonly resource: Resource
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** References to the record `id` now refer to `other`; null if they were removed. */
export interface Replacement {
  readonly kind: string
  readonly id: string
  readonly other: string | null
  /** Whether the record is removed for good because its person is erased. */
  readonly erases: boolean
}

/** The pure rules of one resource. All are optional; a resource without rules is stored as it is sent. */
export interface Rules<State = RecordState> {
  /** Issues of a create that the request alone shows (400). */
  inspectCreate?(input: JsonObject): Issue[]
  /** Issues of an update that the request alone shows (400). */
  inspectPatch?(input: JsonObject): Issue[]
  /** The same rules as JSON Schemas, for the OpenAPI document. */
  readonly documented?: { readonly create?: JsonSchema; readonly patch?: JsonSchema }
  /** The look-ups that `settle` reads, for a record that exists, or one that may be new. */
  needs?(input: JsonObject, configuration: Configuration, mayBeNew: boolean): readonly Lookup<unknown>[]
  /** Computes the values that the server decides, and refuses what stored state or other fields forbid (422). */
  settle?(next: State, context: SettleContext<State>): State | Refusal
  /** When `settle` or `relinked` refuses, in a sentence for the OpenAPI document; absent if they never do. */
  readonly forbids?: string
  /**
   * The record after references to another record were removed or replaced, because that record was removed or merged; or a refusal with
   * `details.reason` if the resulting state is not allowed.
   */
  relinked?(next: State): State | Refusal
  /** The record after changes of its nested records: sums and counts. */
  reflect?(state: State, steps: readonly NestedStep[], write: WriteContext): State
  /**
   * For a nested kind: the value that `settle` takes from the parent. If a change of the parent changes it, all nested records of the parent
   * are settled again, with `previous` as the next state. A refusal forbids the change. The kind needs `countedIn`.
   */
  settledBy?(parent: RecordState, configuration: Configuration): unknown
  /**
   * Rows of other tables that a change of the record writes, such as entries of its own feed. `merged` are records that it referred to and
   * that were merged into others.
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

/** The bodies of the operations that write records, compiled once. */
export interface ResourceInput {
  readonly create: BodyDeclaration
  readonly patch: BodyDeclaration
  readonly upsert: BodyDeclaration
  /** Fields without which a record cannot be created. */
  readonly required: readonly string[]
}

/** Converts records to rows and answers. It is compiled once, because every request does both. */
export interface RecordCodec {
  /** Members that every record has, and their columns. */
  readonly head: readonly (readonly [member: string, column: string])[]
  /** Values of a new record. */
  readonly initial: Readonly<Record<string, unknown>>
  readonly stored: readonly (readonly [field: string, column: string])[]
  readonly shown: readonly (readonly [field: string, present: Field['present']])[]
  /** An answer with its members in order and without values. */
  readonly blank: JsonObject
  /** The names of everything that can change: stored fields and the key. */
  readonly names: readonly string[]
  /** The subset of `names` that clients see, each with its member in answers and its name in change events and audit entries. */
  readonly shared: readonly { readonly name: string; readonly member: string; readonly as: string }[]
  /** The fields whose texts a search looks at; null if the table has no columns for them. */
  readonly searched:
    | readonly (readonly [field: string, text: NonNullable<Field['search']>, of: Field['searchText']])[]
    | null
}

/** A field that refers to records of another kind, and the table that stores the ids. */
export interface ReferenceField {
  readonly name: string
  readonly kind: string
  readonly table: string
  readonly ownerColumn: string
  readonly targetColumn: string
}

/** A field of links to other records, and the table that stores them. */
export interface LinkField {
  readonly name: string
  readonly links: Links
  readonly table: Table
}

/** The parent of a nested kind. */
export interface Parent {
  /** The resource or nested kind that it belongs to. */
  readonly resource: Resource
  /** The field that holds the parent's id: `dealId`. */
  readonly member: string
  /** The path parameter with the parent's id. */
  readonly parameter: string
  /** The name of this part in change events and audit entries of the resource at the top: `items`. */
  readonly part: string
  /** Whether records have an order in their parent, shown as `position` and stored as `rank`. */
  readonly isPlaced: boolean
  /** Set if clients choose the ids: the field and the path parameter that hold them. The `id` is derived from it: `namedId`. */
  readonly chosenId?: string
  /**
   * Set for links: the field whose record a parent links at most once. A link is shown as part of a set, without id and version of its
   * own.
   */
  readonly uniqueReference?: string
}

/** What a kind of records declares beside its fields. It decides how rows, audit entries and events are made. */
export interface RecordForm {
  /** null if the records belong to no other record. */
  readonly parent: Parent | null
  /**
   * Whether the records are settings: organizations, or the configuration of an organization. Settings have no routes and no scopes, so
   * they have no external key, no search texts and no change events. Each setting has its own audit entries, even if it belongs to another
   * setting, and only these name the author of a change.
   */
  readonly isSetting: boolean
  /** Columns of the id and the version, if these are not called `id` and `version`. */
  readonly headColumns: HeadColumns
  readonly conventions: Conventions
  /**
   * Whether clients synchronize the records with their own. Then applications have external keys for them, the feed has their changes, and
   * rows hold authors and search texts. Nested records change with their parent; settings and records with other conventions are read when
   * they are needed.
   */
  readonly isSynchronized: boolean
  /** The names in answers of members that every record has, where they differ; null hides a member. */
  readonly headMembers: HeadMembers
}

export type HeadMembers = Readonly<Partial<Record<'id' | 'createdAt' | 'updatedAt', string | null>>>

export type HeadColumns = Readonly<Partial<Record<'id' | 'version', string>>>

/** A filter of a kind: the declared one, and the field to which it belongs. */
export interface RecordFilter extends FieldFilter {
  /** SQL of the column of its field on the record `t`; '' if it belongs to no field. */
  readonly column: string
  /** The field, or the member of every record, to which it belongs; '' if there is none. */
  readonly member: string
}

/** An order of a kind. */
export interface RecordOrder extends Omit<FieldOrder, 'as' | 'value'> {
  /** SQL of the compared value on the record `t`. */
  readonly value: string
  /** The field, or the member of every record, by which it sorts. */
  readonly member: string
}

/** What a search of all kinds shows of a record, and finds it by besides its own texts. */
export interface HitForm {
  /** The fields that a hit shows as its title and its subtitle. */
  readonly title: string
  readonly subtitle: string | null
  /** Whether the words of the subtitle are searched; the index of them is `<table>_search_subtitle`. */
  readonly isSubtitleSearched: boolean
  /** The table that links records with companies, whose names are searched, and its column with the id of the record. */
  readonly companies: { readonly table: string; readonly column: string } | null
}

/** A compiled resource: what abilities, the write path and the documentation read. */
export interface Resource extends RecordForm {
  /** The name of the kind in the singular, for change events, audit entries and keys. */
  readonly kind: string
  /** The plural, for paths, ids of operations and sentences. */
  readonly plural: string
  /** The path of the collection: `/api/v1/crm/tasks/{taskId}/checklists`. */
  readonly path: string
  readonly scopes: ResourceScopes
  readonly fields: Fields
  /** The name of the field that has each role. */
  readonly roles: Readonly<Partial<Record<FieldRole, string>>>
  /** The largest number of records of the kind in one organization; null if there is no limit. */
  readonly most: number | null
  /** Whether records hold personal data, which can be erased. */
  readonly personal: boolean
  readonly hit: HitForm
  readonly rules: Rules
  readonly input: ResourceInput
  readonly table: Table
  readonly links: readonly LinkField[]
  /** Every field that refers to other records, as a list of links or as a single reference. */
  readonly references: readonly ReferenceField[]
  readonly codec: RecordCodec
  /** How lists choose records, by parameters, and sort them, by words of `sort`. */
  readonly filters: ReadonlyMap<string, RecordFilter>
  readonly orders: ReadonlyMap<string, RecordOrder>
  /** The name of the component: `Contact`. */
  readonly title: string
  /** JSON Schema of a record in answers. */
  readonly output: JsonSchema
  /** Hides the whole record, as `amounts` hides the items of deals. */
  readonly projection?: Projection
  /** SQL of the condition under which the setting `t` is listed and can be named; absent if all are. */
  readonly listedWhen?: string
  /** The members of an answer that each projection hides. */
  readonly protectedMembers: ReadonlyMap<Projection, readonly string[]>
}

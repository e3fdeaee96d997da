import type {
  Needs,
  Nested,
  NestedDeclaration,
  RecordState,
  Refusal,
  Resource,
  SettingsDraft,
} from '../kernel/index.ts'
import type { By, Fields, Issue, JsonObject } from '../kernel/schema/index.ts'
import type { Administration } from './administer.ts'
import type { Controls } from './controls.ts'
import type { InputOf } from './fields.ts'
import type { Distinction } from './setting.rules.ts'

/** What people call a kind of settings, and may do with it. */
export interface Wording {
  /** `operators, who can own records` */
  readonly about: string
  /** What comes into being: `an operator, who can own records` */
  readonly creates: string
  /** What a command names it by; its id or name unless given. */
  readonly named?: string
  /** Who creates and removes one. Who changes it, its fields say. */
  readonly by: By
  /** What is removed, with what; the name of the kind unless given. */
  readonly removes?: string
}

/** What everything that people administer can do, whatever it is. */
export interface Administered<Input = object, Receipt extends Named = Named> extends Wording {
  readonly kind: Resource
  readonly controls: Controls
  /** `kinds` are the kinds of records that can be chosen, where there is a choice of these. */
  create(
    this: void,
    administration: Administration,
    input: OfOrganization & Input,
    kinds?: readonly string[],
  ): Promise<Receipt>
  /** Changes what is given. */
  set(this: void, administration: Administration, change: SettingAddress & Input): Promise<Receipt>
  /** `kinds` are all kinds of records and settings that may refer to it. */
  remove(this: void, administration: Administration, address: SettingAddress, kinds: readonly Resource[]): Promise<void>
}

export interface Named {
  readonly id: string
}

export interface OfOrganization {
  readonly organizationId: string
}

/** `id` is that of the record, also of a token. Where a setting is changed, a name that it alone has serves as well. */
export interface SettingAddress extends OfOrganization {
  readonly id: string
}

/** What is special about the removal of a kind of settings. */
export interface Removal {
  /** What to do with one that is in use. */
  readonly insteadOfRemoval?: string
  /** Records name it by a key of a kind, and not by its id. */
  keyed?(record: RecordState): { readonly key: string; readonly ofKind: string }
  /** Why it stays although nothing refers to it. */
  whyNeeded?(record: RecordState, draft: SettingsDraft): Refusal | null
  /** What the others may not be left like. */
  afterRemoval?(draft: SettingsDraft, record: RecordState, kind: Nested): Refusal | null
  /** It goes together with the setting that it belongs to. */
  readonly isRemovedWithOwner?: true
}

/** A kind of settings of an organization that can be removed. */
export interface RemovableSetting extends Nested {
  readonly removal: Removal
}

/** A kind of settings of which all is derived from its declaration. */
export interface Setting<Input = object, Receipt extends Named = Named> extends RemovableSetting {
  readonly administered: Administered<Input, Receipt>
  readonly distinction: Distinction
}

/** What may be given beside fields. */
export type MoreOf<M> = M extends Fields ? InputOf<M> : unknown

/** The declaration of a kind of settings. */
export interface SettingDeclaration<F extends Fields, M extends Fields | undefined, Receipt extends Named>
  extends Wording,
    Removal,
    Distinction,
    Pick<NestedDeclaration<F>, 'fields'> {
  /** In snake case: `lost_reason`. */
  readonly kind: string
  /** Called like several of the kind unless given. */
  readonly table?: string
  /** The organization, or the kind of settings that it belongs to. */
  readonly owner: Resource
  /** The field that lists are ordered by. */
  readonly order: string
  /** What can be given beside the fields, for `add` and `alter` to take away. */
  readonly more?: M
  /** What the input of a new one alone shows to be wrong. */
  inspectCreate?(input: JsonObject): Issue[]
  /** The kinds of settings that members of the input of a new one name, by id or name. */
  readonly refersTo?: Readonly<Record<string, Nested>>
  /** What `add`, `alter` and `receipt` read beside the others of the kind. `id` is null for a new one. */
  needs?(needs: Needs, input: JsonObject, id: string | null): void
  /** Adds it, where that takes more than its fields. */
  add?(draft: SettingsDraft, input: JsonObject, kind: Nested, owner: RecordState): RecordState | Refusal
  /** The same for a change. */
  alter?(draft: SettingsDraft, before: RecordState, input: JsonObject, kind: Nested): RecordState | Refusal
  /** What is said of one that was created or changed. */
  receipt(record: RecordState, draft: SettingsDraft): Receipt
}

/** All there is to say of most settings. */
export function idOf({ id }: RecordState): Named {
  return { id }
}

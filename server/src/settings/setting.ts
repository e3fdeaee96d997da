import type {
  Needs,
  Nested,
  NestedDeclaration,
  RecordState,
  Refusal,
  Resource,
  SettingsDraft,
} from '../kernel/index.ts'
import type { Lookup } from '../kernel/record/index.ts'
import type { Fields, JsonObject } from '../kernel/schema/index.ts'
import type { Row } from '../kernel/sql/index.ts'
import type { Administration } from './administer.ts'
import type { Controls } from './controls.ts'
import type { InputOf } from './fields.ts'
import type { Distinction } from './setting.rules.ts'

/** The display names of a kind of settings. */
export interface Wording {
  /** `operators, who can own records` */
  readonly about: string
  /** The result of a creation: `an operator, who can own records` */
  readonly creates: string
  /** What is removed, including dependents; by default the name of the kind. */
  readonly removes?: string
}

/** The operations of everything that people administer. */
export interface Administered<Input = object, Receipt extends Named = Named> extends Wording {
  readonly kind: Resource
  readonly controls: Controls
  /** `kinds` are the kinds of records to choose from, if there is a choice. */
  create(
    this: void,
    administration: Administration,
    input: OfOrganization & Input,
    kinds?: readonly string[],
  ): Promise<Receipt>
  /** Changes the members of the input. */
  set(this: void, administration: Administration, change: VersionedAddress & Input): Promise<Receipt>
  /** `kinds` are all kinds of records and settings that may refer to it. */
  remove(
    this: void,
    administration: Administration,
    address: SettingAddress,
    kinds: readonly Resource[],
  ): Promise<Named>
}

export interface Named {
  readonly id: string
}

export interface OfOrganization {
  readonly organizationId: string
}

/** `id` is that of the record, or of a token. A unique name also works. */
export interface SettingAddress extends OfOrganization {
  readonly id: string
}

/** A setting to change, and the version that it must have; any unless given, because a person at a command line has not read it. */
export interface VersionedAddress extends SettingAddress {
  readonly expectedVersion?: number | undefined
}

/** Special rules for the removal of a kind of settings. */
export interface Removal {
  /** The advice for a setting that is in use. */
  readonly insteadOfRemoval?: string
  /** Why it cannot be removed although nothing refers to it; the draft has only the remaining settings. */
  whyNeeded?(record: RecordState, draft: SettingsDraft, kind: Nested): Refusal | null
  /** The row, of a module that settings do not know, that has to go before the setting with this id; and the refusal that says so. */
  readonly heldBy?: { row(id: string): Lookup<Row | null>; readonly refusal: Refusal }
  /** It is removed together with the setting that it belongs to. */
  readonly isRemovedWithOwner?: true
}

/** A kind of settings that can be removed. */
export interface RemovableSetting extends Nested {
  readonly removal: Removal
}

/** A kind of settings whose operations are all derived from its declaration. */
export interface Setting<Input = object, Receipt extends Named = Named> extends RemovableSetting {
  readonly administered: Administered<Input, Receipt>
  readonly distinction: Distinction
}

/** Additional input besides the fields. */
export type MoreOf<M> = M extends Fields ? InputOf<M> : unknown

/** The declaration of a kind of settings. */
export interface SettingDeclaration<F extends Fields, M extends Fields | undefined, Receipt extends Named>
  extends Wording,
    Removal,
    Distinction,
    Pick<NestedDeclaration<F>, 'fields'> {
  /** In snake case: `lost_reason`. */
  readonly kind: string
  /** The plural; by default derived from the kind. */
  readonly table?: string
  /** The owner: the organization, or a kind of settings. */
  readonly owner: Resource
  /** The field that lists are ordered by. */
  readonly order: string
  /** SQL of the condition under which a setting `t` is listed and can be named. */
  readonly listedWhen?: string
  /** Additional input that `add` and `alter` consume. */
  readonly more?: M
  /** The kinds of settings to which members of a new setting's input refer, by id or name. */
  readonly refersTo?: Readonly<Record<string, Nested>>
  /** Further reads of `add`, `alter` and `receipt`, besides the settings of the kind. `id` is null for a new setting. */
  needs?(needs: Needs, input: JsonObject, id: string | null): void
  /** Adds the setting, if that takes more than setting its fields. */
  add?(draft: SettingsDraft, input: JsonObject, kind: Nested, owner: RecordState): RecordState | Refusal
  /** The same for a change. */
  alter?(draft: SettingsDraft, before: RecordState, input: JsonObject, kind: Nested): RecordState | Refusal
  /** The receipt of a created or changed setting. */
  receipt(record: RecordState, draft: SettingsDraft): Receipt
}

/** The receipt of most settings. */
export function idOf({ id }: RecordState): Named {
  return { id }
}

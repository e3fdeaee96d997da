import type { JsonObject } from './json.ts'

/** Who may change something: the operator of the installation alone, or the owner of an organization, too. */
export type By = 'operator' | 'owner'

/**
 * What people see of a field that they fill in, as an option of commands or a control of a page. What the field says already,
 * such as limits and words that can be chosen, is not repeated here.
 */
export interface FieldForm {
  /** The title of the control; the name of the field in words unless given. */
  readonly label?: string
  /** What it is, in half a sentence. */
  readonly help?: string
  /** The option with a word for its value: `rate-read <n>`; the name of the field unless given. */
  readonly option?: string
  /** The words that can be chosen, where the schema of requests does not list them. */
  readonly choices?: readonly string[]
  /** Set where kinds of records can be chosen: those that have a field of this role. */
  readonly kindsWith?: 'tags' | 'customFields'
  /** What holds for a new record where nothing is given; the initial value unless given. */
  readonly usual?: string
  /** What it means to take the value away, where it can be. */
  readonly none?: string
  /** The two options of a flag. One that is absent cannot be chosen. */
  readonly yes?: FlagOption
  readonly no?: FlagOption
  /** The number counts bytes, and people write it with a unit: `40GiB`. */
  readonly isSize?: true
  /** The number counts milliseconds, and people write it with a unit: `90d`. */
  readonly isDuration?: true
  /** Reads an item of a list that people write as a text. */
  item?(text: string): JsonObject
  /** The member of the input without which it is not given. */
  readonly togetherWith?: string
  /** Who may set it; the owner of the organization unless given. */
  readonly by?: By
  /** The highest number that the owner may set; a higher one is for the operator. */
  readonly ownerMaximum?: number
}

interface FlagOption {
  /** `read-only` */
  readonly option: string
  readonly help: string
}

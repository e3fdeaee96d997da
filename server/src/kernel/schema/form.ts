import type { JsonObject } from './json.ts'

/** Who may change a setting: only the operator of the installation, or also the owner of an organization. */
export type By = 'operator' | 'owner'

/**
 * How people see a field that they fill in, as an option of commands or a control of a page. What the field itself declares, such as limits
 * and choices, is not repeated here.
 */
export interface FieldForm {
  /** The title of the control; by default the name of the field in words. */
  readonly label?: string
  /** A description of half a sentence. */
  readonly help?: string
  /** The option and the word for its value: `rate-read <n>`; by default the name of the field. */
  readonly option?: string
  /** The words to choose from, if the schema of requests does not list them. */
  readonly choices?: readonly string[]
  /** Set if the choices are kinds of records: those with a field of this role. */
  readonly kindsWith?: 'tags' | 'customFields'
  /** The default of a new record; the initial value unless set. */
  readonly usual?: string
  /** The meaning of removing the value; absent if it cannot be removed. */
  readonly none?: string
  /** The two options of a flag. An absent one cannot be chosen. */
  readonly yes?: FlagOption
  readonly no?: FlagOption
  /** The value is a number of bytes or of milliseconds; people write it with a unit: `40GiB`, `90d`. */
  readonly unit?: 'size' | 'duration'
  /** Parses an item of a list that people write as text. */
  item?(text: string): JsonObject
  /** Who may set it; by default the owner of the organization. */
  readonly by?: By
  /** The highest value that the owner may set; only the operator may set a higher one. */
  readonly ownerMaximum?: number
}

interface FlagOption {
  /** `read-only` */
  readonly option: string
  readonly help: string
}

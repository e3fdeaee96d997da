import type { Kind } from './kinds.ts'

/** How a value is shown and typed. */
export type Widget =
  | 'text'
  | 'long-text'
  | 'integer'
  | 'number'
  | 'truth'
  | 'option'
  | 'options'
  | 'amount'
  | 'currency'
  | 'date'
  | 'moment'
  | 'due'
  | 'choice'
  | 'operator'
  | 'stage'
  | 'lost-reason'
  | 'emails'
  | 'phones'
  | 'addresses'
  | 'messengers'
  | 'websites'
  | 'reference'
  | 'references'
  | 'tags'
  | 'external-id'

/** One field of a kind, as lists, pages and forms need it. The server judges values; `max`, `required` and `pattern` only spare a request. */
export interface FieldDefinition {
  /** Where the value stands in a record; its label is found under the same name. */
  readonly path: string
  readonly widget: Widget
  /** The scope without which the value is absent; absent: that of the record suffices. */
  readonly scope?: string
  /** The scope that a change needs besides that of the record. */
  readonly writeScope?: string
  readonly max?: number
  readonly required?: boolean
  readonly pattern?: RegExp
  readonly choices?: readonly string[]
  /** What a custom field of choices can be. */
  readonly options?: readonly { readonly key: string; readonly label: string }[]
  /** The kind that a reference leads to. */
  readonly of?: Kind
  /** The member of a request, where it is not the path: `companies` of `companyIds`. */
  readonly sentAs?: string
  /** Where forms show it: when a record is created, when it is edited, or both; absent: in neither. */
  readonly form?: 'create' | 'edit' | 'both'
  /** The column of a list: its width in pixels, and whether it is there from the start. */
  readonly column?: {
    readonly width: number
    readonly shown?: boolean
    readonly order?: string
    readonly inline?: boolean
  }
}

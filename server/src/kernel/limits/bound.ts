export const kibibyte = 1024
export const mebibyte = 1024 * kibibyte

/** A maximum of one quantity, and what happens above it. */
export interface Bound {
  readonly most: number
  readonly unit: 'bytes' | 'milliseconds' | 'requests' | 'connections' | 'places' | 'values' | 'entries'
  readonly of: string
  readonly beyond: string
}

export type Bounds = Readonly<Record<string, Bound>>

/** With `Retry-After`; nothing was executed. */
export const retried = '503'
export const forgotten = 'the cache is emptied'
/** `validation_error`. */
export const answeredMalformed = '400'
/** `validation_error`. */
export const unreadable = '422'

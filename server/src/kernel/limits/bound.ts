export const kibibyte = 1024
export const mebibyte = 1024 * kibibyte

/** The most of one thing that there may be, and what happens above it. */
export interface Bound {
  readonly most: number
  readonly unit: 'bytes' | 'milliseconds' | 'requests' | 'connections' | 'places' | 'values' | 'entries'
  readonly of: string
  readonly beyond: string
}

export type Bounds = Readonly<Record<string, Bound>>

export const retried = '503 with `Retry-After`; nothing was executed'
export const forgotten = 'all are forgotten, and read again when they are needed'
export const answeredMalformed = '400 `validation_error`'
export const unreadable = '422 `validation_error`'

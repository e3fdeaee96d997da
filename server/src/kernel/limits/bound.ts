/** The most of one thing that there may be, and what happens above it. */
export interface Bound {
  readonly most: number
  readonly unit: 'bytes' | 'milliseconds' | 'requests' | 'connections' | 'places' | 'values' | 'entries'
  readonly of: string
  readonly beyond: string
}

/** What the process of the receivers answers to any message: the calls since the previous one. Times are in milliseconds. */
export interface ReceiverFigures {
  /** Calls of receivers that work, and the time from the change of a record, before its commit, to the first byte of the call. */
  readonly delivered: number
  readonly p50: number
  readonly p99: number
  readonly most: number
  /** How many of them had an id that had come before. */
  readonly doubled: number
  /** Calls of receivers that are broken. */
  readonly broken: number
}

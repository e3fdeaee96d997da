/** Why a file as a whole cannot be read. */
export type UnreadableReason =
  | 'not_a_table'
  | 'damaged'
  | 'protected'
  | 'macros'
  | 'too_large'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'broken_quotes'
  | 'unknown_sheet'
  | 'no_header'
  | 'too_slow'

/** Ends the reading of a file that cannot be read. Its message is for the client, and quotes nothing of the file. */
export class UnreadableFile<Reason extends string = UnreadableReason> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

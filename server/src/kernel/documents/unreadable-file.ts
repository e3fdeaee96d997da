/** Thrown when a file cannot be read. Its message is for the client, and quotes nothing from the file. */
export class UnreadableFile extends Error {
  /** Why the file as a whole cannot be read, such as `damaged` (contract sections 10.3 and 13.1). */
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

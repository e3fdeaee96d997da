/** An operation on an archive that is not possible; the message is one line for the operator who ran it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

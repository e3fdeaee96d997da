/** Something that cannot be done with an archive; the message is one line for the operator who asked for it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

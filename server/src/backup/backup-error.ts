/** Something that cannot be done with a backup; the message is one line for whoever asked for it. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** What went wrong, in one line for the operator. */
export function reasonOf(error: unknown): string {
  // A host name with several addresses fails with one error for each and no message of its own.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  const message = error instanceof Error ? error.message : String(error)
  const lines = message.split('\n').flatMap(line => line.trim() || [])
  return lines.join(' ') || 'an unknown error'
}

/** What went wrong, in one line for the operator: what the system says of it, or better, what to do about it. */
export async function reasonOf(failure: unknown): Promise<string> {
  // A host name with several addresses fails with one error for each and no message of its own.
  if (failure instanceof AggregateError && failure.message === '')
    return (await Promise.all(failure.errors.map(reasonOf))).join('; ')
  const said = inOneLine(failure instanceof Error ? failure.message : String(failure)) || 'an unknown error'
  return (await advice(failure, said)) ?? said
}

export function inOneLine(text: string): string {
  return text
    .split('\n')
    .flatMap(line => line.trim() || [])
    .join(' ')
}

async function advice(error: unknown, said: string): Promise<string | undefined> {
  // Most commands succeed without it.
  const { isDiskFull } = await import('../../kernel/sql/index.ts')
  if (isDiskFull(error))
    return `The disk of the database is full: make room there, and try again. PostgreSQL says: ${said}`
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `A disk is full: make room there, and try again. The system says: ${said}`
  if (code === insufficientPrivilege) return `The user of the database may not do this: ${said}. ${grants}`
  return undefined
}

const insufficientPrivilege = '42501'
const grants =
  'Let that user own the database, or run as its owner "grant create on database NAME to USER" and ' +
  '"grant create on schema public to USER"; the command doctor checks both.'

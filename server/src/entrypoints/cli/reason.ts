import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

/** The reason of a failure in one line for the operator: the system's message or, better, what to do about it. */
export async function reasonOf(failure: unknown): Promise<string> {
  // A host name with several addresses fails with one error per address and an empty message.
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
  // Loaded here, because most commands succeed without it.
  const { isDiskFull } = await import('../../kernel/sql/index.ts')
  if (isDiskFull(error))
    return `The disk of the database is full: make room there, and try again. PostgreSQL says: ${said}`
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `A disk is full: make room there, and try again. The system says: ${said}`
  if (code === 'EISDIR') return 'This is a folder and no file'
  const ofBucket = bucketAdvice.get(/^the bucket [^:]+: (\w+): /u.exec(said)?.[1] ?? '')
  if (ofBucket !== undefined) return `${ofBucket} The bucket says: ${said}`
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined
  if (path !== undefined) return pathAdvice(String(code), path)
  if (code === insufficientPrivilege) return `The user of the database may not do this: ${said}. ${grants}`
  return undefined
}

/** What is wrong with a path, and what to do about it. */
function pathAdvice(code: string, path: string): string | undefined {
  const folder = dirname(path)
  if (code === 'ENOENT')
    return existsSync(folder) ? `There is no file ${path}` : `There is no folder ${folder}: make it first`
  if (code === 'EACCES' || code === 'EPERM')
    return `The user of this command may not use ${path}: run it as the user of the server`
  return code === 'ENOTDIR' ? `${folder} is no folder` : undefined
}

const keys = 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'

/** By the error names of buckets and their client library. A failure of the store puts this name after that of the bucket. */
const bucketAdvice: ReadonlyMap<string, string> = new Map([
  ['CredentialsProviderError', `There are no credentials for the bucket: set ${keys}, or give the machine a role.`],
  ['InvalidAccessKeyId', `The bucket does not know the access key: see ${keys}.`],
  ['SignatureDoesNotMatch', `The bucket does not take the secret of the access key: see ${keys}.`],
  ['Forbidden', `The bucket refuses the credentials: see ${keys}, and what they may do.`],
  ['ExpiredToken', 'The credentials for the bucket have expired: renew them.'],
  ['AccessDenied', 'The credentials may not use the bucket: let them list, read, write and delete in it.'],
  ['NoSuchBucket', 'There is no such bucket: see its name, S3_REGION and S3_ENDPOINT.'],
])

const insufficientPrivilege = '42501'
const grants =
  'Let that user own the database, or run as its owner "grant create on database NAME to USER" and ' +
  '"grant create on schema public to USER"; the command doctor checks both.'

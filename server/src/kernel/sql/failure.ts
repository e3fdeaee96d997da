import { Overloaded } from '../admission/index.ts'

/** How the caller must treat a failed statement. */
export type Failure = 'again' | 'unavailable' | 'broken'

const again = new Set(['40P01', '40001', '23505', '23503'])
const diskFull = '53100'
const lockTimeout = '55P03'
const unavailable = new Set([
  diskFull,
  lockTimeout,
  '57P01',
  '57P02',
  '57P03',
  '57014',
  '25P03',
  '53200',
  '25006',
  '53300',
  '53400',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
])
const network = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const driverMessages = [
  /^Connection terminated/u,
  /^Client (was closed|has encountered a connection error)/u,
  /^timeout exceeded when trying to connect/u,
  /^timeout expired/u,
  /^Query read timeout/u,
  /^Cannot use a pool after calling end/u,
]

/**
 * Classifies an error of the driver. `again`: a deadlock, serialization failure, unique or foreign key violation: decide again on fresh
 * data. `unavailable`: the database, a connection or a lock was not available. `broken`: everything else.
 */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return 'broken'
  if (error instanceof DecideAgain) return 'again'
  if (isOfConnection(error) || error instanceof Overloaded || error instanceof OrganizationReadOnly)
    return 'unavailable'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (again.has(code)) return 'again'
  if (unavailable.has(code) || network.has(code) || isDiskFull(error)) return 'unavailable'
  if (error instanceof AggregateError)
    return error.errors.every(each => failureOf(each) === 'unavailable') ? 'unavailable' : 'broken'
  return driverMessages.some(form => form.test(error.message)) ? 'unavailable' : 'broken'
}

/** Whether a connection was given up, or was unusable from the start. */
function isOfConnection(error: Error): boolean {
  return error instanceof DatabaseSilent || error instanceof SessionNotKept || error instanceof DatabaseIsStandby
}

/**
 * Whether PostgreSQL had no disk space to write, reported as an error or while it stopped. An exceeded quota has no error code of its own.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === diskFull) return true
  const isOfServer = 'severity' in error
  return (isOfServer && /no space left on device|disk quota exceeded/iu.test(error.message)) || isDiskFull(error.cause)
}

/** Whether a statement failed because it waited longer for a lock than its connection allows. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === lockTimeout
}

/** Why a transaction must start over on fresh data. It is returned, and thrown only after the last attempt. */
export class DecideAgain extends Error {}

/** The organization is read-only for the time being, so a job, an import or a command cannot write. */
export class OrganizationReadOnly extends Error {
  constructor() {
    super('the organization is read-only for the time being')
  }
}

/** The database did not answer within the time limit of the statement. */
export class DatabaseSilent extends Error {
  constructor() {
    super('the database does not answer')
  }
}

/** The database is a standby and can only be read. The message is for the operator. */
export class DatabaseIsStandby extends Error {
  constructor() {
    super('the database is a standby: it serves when it is promoted')
  }
}

/** A connection lacks settings that statements rely on, so it is never used. The message is for the operator. */
export class SessionNotKept extends Error {
  constructor(reason: string, cause?: unknown) {
    super(
      `the connection to the database does not keep its settings (${reason}): ` +
        'a pooler in between has to work in session mode, or leave DATABASE_URL',
      { cause },
    )
  }
}

/** The connection was lost while COMMIT was in flight, so it is unknown whether it took effect. */
export class CommitUncertain extends Error {
  constructor(cause: unknown) {
    super('the connection was lost during commit', { cause })
  }
}

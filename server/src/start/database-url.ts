import type { DatabaseAddress } from '../kernel/sql/index.ts'

/** How to encode reserved characters in the password of a URL. */
export const encodedPassword = 'in a password, @ / # ? % are written %40 %2F %23 %3F %25'

const unreachableCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']
const unknownHostCodes = ['ENOTFOUND', 'EAI_AGAIN']

/**
 * Why the connection with this `DATABASE_URL` failed, as a message for the operator: how the URL was parsed (`address`, null if it could
 * not be) without its password, the error, and what to do.
 */
export function whyUnreachable(url: string, address: DatabaseAddress | null, error: unknown): string {
  const code = codeOf(error)
  // An @ after the host means that a reserved character cut off the password. The parsed address then contains a part of it, and so does
  // the error.
  const [, behindHost = ''] = /^\w+:\/\/[^/?#]*(.*)$/su.exec(url) ?? []
  if (behindHost.includes('@'))
    return `DATABASE_URL is understood in another way than it is meant (${code}): ${encodedPassword}.`
  const said = saidIn(error)
  if (address === null) return `DATABASE_URL: ${said}`
  const { host, port, database, user } = address
  const advice = adviceOn(code, said, address)
  return `DATABASE_URL (host ${host}, port ${port}, database ${database}, user ${user}): ${said}${advice === '' ? '' : `. ${advice}`}`
}

function adviceOn(code: string, said: string, { database, user }: DatabaseAddress): string {
  if (unreachableCodes.includes(code) || /timeout/iu.test(said))
    return 'Is PostgreSQL running there, and does it take connections of this machine (listen_addresses, a firewall)?'
  if (unknownHostCodes.includes(code)) return `No host of that name is known; ${encodedPassword}`
  if (/password must be a string/u.test(said))
    return 'The URL has no password: postgres://USER:PASSWORD@HOST:PORT/DATABASE'
  if (code === '28P01') return `See that the user and the password are right; ${encodedPassword}`
  const [owner, name] = [user, database].map(each => JSON.stringify(each))
  if (code === '28000')
    return `A superuser makes a user with "create role ${owner} login password '…'"; pg_hba.conf says who may connect from where`
  if (code === '3D000')
    return `A superuser makes it with "create database ${name} owner ${owner} encoding 'UTF8' template template0"`
  return ''
}

function saidIn(error: unknown): string {
  // A host name with several addresses fails with one error per address and an empty message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(saidIn).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  return error instanceof Error ? error.name : 'unknown'
}

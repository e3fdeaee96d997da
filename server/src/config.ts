import { resolve } from 'node:path'
import { isCidr } from './kernel/auth/index.ts'

/** The environment of a process, checked (contract section 16). Only this file reads environment variables. */
export interface Config {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** An absolute path. The directory has the embedded database, files and the generated secret. */
  readonly dataDirectory: string
  /** Undefined: the embedded PostgreSQL is used. */
  readonly databaseUrl: string | undefined
  /** Undefined: rate-limit counters are kept in the process. */
  readonly redisUrl: string | undefined
  /** Undefined: a secret is generated once into the data directory. */
  readonly secret: string | undefined
  /** The prefix of signed links. Undefined: the listen address. */
  readonly publicBaseUrl: string | undefined
  /** Networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
}

const shortestSecret = 16

/** Reads the configuration, or throws an error that names every variable that is wrong, in words for the operator. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const text = (name: string) => environment[name]?.trim() || undefined
  const port = Number(text('PORT') ?? '3000')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) problems.push('PORT is a number from 0 to 65535')
  for (const [name, protocols] of [
    ['DATABASE_URL', ['postgres:', 'postgresql:']],
    ['REDIS_URL', ['redis:', 'rediss:']],
    ['PUBLIC_BASE_URL', ['http:', 'https:']],
  ] as const) {
    const url = text(name)
    const valid =
      url === undefined || (URL.canParse(url) && protocols.some(protocol => protocol === new URL(url).protocol))
    if (!valid)
      problems.push(`${name} is a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
  }
  const trustedProxies = (text('TRUSTED_PROXIES') ?? '').split(',').flatMap(part => part.trim() || [])
  if (!trustedProxies.every(isCidr)) problems.push('TRUSTED_PROXIES is a comma-separated list of addresses or networks')
  const secret = text('CRM_SECRET')
  if (secret !== undefined && secret.length < shortestSecret)
    problems.push(`CRM_SECRET has at least ${shortestSecret} characters`)
  if (secret === undefined && text('DATABASE_URL') !== undefined)
    problems.push('CRM_SECRET is required when DATABASE_URL is set')
  if (problems.length > 0) throw new Error(problems.join('; '))
  return {
    host: text('HOST') ?? '127.0.0.1',
    port,
    dataDirectory: resolve(text('CRM_DATA_DIR') ?? '.data'),
    databaseUrl: text('DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    secret,
    publicBaseUrl: text('PUBLIC_BASE_URL'),
    trustedProxies,
  }
}

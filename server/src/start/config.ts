import { resolve } from 'node:path'
import { isCidr } from '../kernel/auth/index.ts'
import type { S3Settings } from '../kernel/files/index.ts'
import { type Retention, retentionDefaults } from '../kernel/limits/index.ts'
import type { SmtpSettings } from '../kernel/mail/index.ts'
import { encodedPassword } from './database-url.ts'
import { misspeltVariables } from './misspelt-variables.ts'
import { readSmtp } from './smtp-config.ts'
import { readTracing, type TraceForm } from './tracing-config.ts'

/** The environment of a process, checked (contract section 16). Only this file reads environment variables. */
export interface Config {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** How many seconds a stopping server goes on serving, so that a balancer that polls `/readyz` stops sending requests to it. */
  readonly shutdownDelay: number
  /** An absolute path. The directory contains the embedded database, files and the generated secret. */
  readonly dataDirectory: string
  /** Undefined: the embedded PostgreSQL is used. */
  readonly databaseUrl: string | undefined
  /** Undefined: rate-limit counters are kept in the process. */
  readonly redisUrl: string | undefined
  /** Undefined: a secret is generated once and stored in the data directory. */
  readonly secret: string | undefined
  /** The previous secret, needed until `secret rotate` has re-encrypted everything that was encrypted with it. */
  readonly previousSecret: string | undefined
  /** The prefix of signed links. Undefined: the listen address. */
  readonly publicBaseUrl: string | undefined
  /** Networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Whether pages of other origins may call the API. */
  readonly crossOrigin: boolean
  /** Whether the server has the pages of the cabinet. */
  readonly cabinet: boolean
  /** Networks that integrations may call although they are not public, and over http. */
  readonly outboundAllowedNetworks: readonly string[]
  /** The bucket of files. Undefined: files are below the data directory. */
  readonly s3: S3Settings | undefined
  /** The server that takes mail. Undefined: no mail is sent. */
  readonly smtp: SmtpSettings | undefined
  readonly retention: Retention
  /** The command line of commands, for messages that show one: packages install a program of their own. */
  readonly command: string
  /** Which answered requests the access log contains. Undefined: none. */
  readonly accessLog: (typeof accessLogs)[number] | undefined
  /** The format in which traces are sent. Undefined: tracing is off. */
  readonly traces: TraceForm | undefined
  /** Suspicious but valid parts of the environment, as sentences for the operator. */
  readonly warnings: readonly string[]
}

const accessLogs = ['errors', 'all'] as const

const shortestSecret = 16

/** More than any balancer needs to notice. */
const longestShutdownDelay = 300

const hour = 3600
const day = 24 * hour

interface RetentionVariable {
  readonly name: string
  readonly unit: number
  readonly most: number
  readonly usual: number
}

/**
 * Answers are in four partitions, used in turn for one day each, and a partition is reused four days after its day began. If answers are
 * kept for 36 hours, 35 hours remain in which a partition can be emptied, so that a daily run at any hour finds it.
 */
const answerRetention = { name: 'ANSWER_RETENTION_HOURS', unit: hour, most: 36, usual: retentionDefaults.answers }
const changeRetention = { name: 'CHANGE_RETENTION_DAYS', unit: day, most: 3650, usual: retentionDefaults.changes }
const auditRetention = { name: 'AUDIT_RETENTION_DAYS', unit: day, most: 36_500, usual: retentionDefaults.auditEntries }

const s3Variables = ['S3_ENDPOINT', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** The command line of commands, even if the rest of the environment is invalid. */
export function commandIn(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['CRM_COMMAND']?.trim() || 'npm run -s crm --'
}

/** Reads the configuration, or throws an error for the operator that names every invalid variable. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const known = new Set<string>()
  const text = (name: string) => {
    known.add(name)
    return environment[name]?.trim() || undefined
  }
  const port = Number(text('PORT') ?? '3000')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) problems.push('PORT is a number from 0 to 65535')
  for (const [name, protocols] of [
    ['DATABASE_URL', ['postgres:', 'postgresql:']],
    ['REDIS_URL', ['redis:', 'rediss:']],
    ['PUBLIC_BASE_URL', ['http:', 'https:']],
    ['S3_ENDPOINT', ['http:', 'https:']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['http:', 'https:']],
  ] as const) {
    const url = text(name)
    const valid =
      url === undefined || (URL.canParse(url) && protocols.some(protocol => protocol === new URL(url).protocol))
    const hint = name === 'DATABASE_URL' ? ` (${encodedPassword})` : ''
    if (!valid)
      problems.push(
        `${name} is a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}${hint}`,
      )
  }
  const networks = (name: string) => {
    const listed = (text(name) ?? '').split(',').flatMap(part => part.trim() || [])
    if (!listed.every(isCidr)) problems.push(`${name} is a comma-separated list of addresses or networks`)
    return listed
  }
  const trustedProxies = networks('TRUSTED_PROXIES')
  const outboundAllowedNetworks = networks('OUTBOUND_ALLOWED_NETWORKS')
  const wholeNumber = (name: string, [least, most]: readonly [number, number], usual: number): number => {
    const count = Number(text(name) ?? usual)
    if (!Number.isInteger(count) || count < least || count > most)
      problems.push(`${name} is a whole number from ${least} to ${most}`)
    return count
  }
  const shutdownDelay = wholeNumber('SHUTDOWN_DELAY_SECONDS', [0, longestShutdownDelay], 0)
  const seconds = ({ name, unit, most, usual }: RetentionVariable): number =>
    wholeNumber(name, [unit === hour ? 24 : 1, most], usual / unit) * unit
  const retention = {
    ...retentionDefaults,
    answers: seconds(answerRetention),
    changes: seconds(changeRetention),
    auditEntries: seconds(auditRetention),
  }
  const [secret, previousSecret] = ['CRM_SECRET', 'CRM_SECRET_PREVIOUS'].map(name => {
    const given = text(name)
    if (given !== undefined && given.length < shortestSecret)
      problems.push(`${name} has at least ${shortestSecret} characters`)
    return given
  })
  if (secret === undefined && text('DATABASE_URL') !== undefined)
    problems.push('CRM_SECRET is required when DATABASE_URL is set')
  const bucket = text('S3_BUCKET')
  const [accessKeyId, secretAccessKey] = [text('S3_ACCESS_KEY_ID'), text('S3_SECRET_ACCESS_KEY')]
  if (bucket === undefined && s3Variables.some(name => text(name) !== undefined))
    problems.push(`S3_BUCKET is required when ${s3Variables.join(', ').replace(/, (\w+)$/u, ' or $1')} is set`)
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    problems.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are set together')
  const accessLog = accessLogs.find(form => form === text('ACCESS_LOG'))
  if (accessLog === undefined && ![undefined, 'off'].includes(text('ACCESS_LOG')))
    problems.push(`ACCESS_LOG is ${accessLogs.join(', ')} or off`)
  const cors = text('API_CORS') ?? 'on'
  if (!['on', 'off'].includes(cors)) problems.push('API_CORS is on or off')
  const cabinet = text('CABINET') ?? 'on'
  if (!['on', 'off'].includes(cabinet)) problems.push('CABINET is on or off')
  const smtp = readSmtp(text, problems)
  const traces = readTracing(text, problems)
  const host = text('HOST') ?? '127.0.0.1'
  const dataDirectory = resolve(text('CRM_DATA_DIR') ?? '.data')
  const region = text('S3_REGION') ?? 'us-east-1'
  const warnings = misspeltVariables(environment, known)
  if (problems.length > 0) throw new Error([...problems, ...warnings].join('; '))
  return {
    host,
    port,
    shutdownDelay,
    dataDirectory,
    databaseUrl: text('DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    secret,
    previousSecret,
    publicBaseUrl: text('PUBLIC_BASE_URL'),
    trustedProxies,
    crossOrigin: cors === 'on',
    cabinet: cabinet === 'on',
    outboundAllowedNetworks,
    s3:
      bucket === undefined
        ? undefined
        : {
            bucket,
            endpoint: text('S3_ENDPOINT'),
            region,
            credentials:
              accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
          },
    smtp,
    retention,
    command: commandIn(environment),
    accessLog,
    traces,
    warnings,
  }
}

import { type Command, Option } from 'commander'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import { grantableScopes } from '../../../modules.ts'
import {
  type Administration,
  AdministrationError,
  application,
  createMetricsToken,
  createToken,
  type IssuedToken,
  token as kind,
  listMetricsTokens,
  type MetricsToken,
  organizationOf,
  parseDuration,
  removeSetting,
  revokeMetricsToken,
  revokeToken,
  rotateToken,
  setToken,
  tokenControls,
} from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { withBriefScopes } from '../brief-scopes.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'
import { addControls, type GivenOptions, valuesOf } from '../controls.ts'
import { type Filter, listFilters } from '../filters.ts'
import { sheetOf } from '../table.ts'
import { type AdministeredKind, addReadCommands, listed } from './setting.ts'

type Options = OutputOptions & GivenOptions & { readonly application?: string; readonly metrics?: boolean }

interface RotateOptions extends OutputOptions {
  readonly overlap?: string
}

export function addTokenCommands(program: Command, commandLine: CommandLine): void {
  const token = program.command('token').description('API tokens')
  const remove: AdministeredKind['remove'] = (installation, address, kinds) =>
    removeSetting(installation, { ...address, kind }, kinds)
  addReadCommands(token, { kind, remove, filters: tokenFilters, brief: withBriefScopes }, commandLine)
  // A token for metrics has no scopes, so the option is not required.
  const controls = tokenControls.create.map(each => ({ ...each, isRequired: each.name === 'name' }))
  const creation = token
    .command('create')
    .description('create a token; it is shown this once')
    .option('--application <id>', 'of which application')
    .option('--metrics', 'for /metrics alone, of no application')
  addControls(creation, controls, 'create')
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async installation => {
        const { application: applicationId, metrics } = options
        const input = valuesOf(options, controls)
        if (metrics === true) {
          if (applicationId !== undefined || input.scopes !== undefined)
            throw new AdministrationError('a token for metrics has no application and no scopes')
          return printed(await createMetricsToken(installation, input))
        }
        if (applicationId === undefined || input.scopes === undefined)
          throw new AdministrationError('a token needs --application and --scopes, or --metrics')
        const organizationId = await organizationOf(installation.database, application, applicationId)
        return printed(await createToken(granting(installation), { ...input, organizationId, applicationId }))
      }),
    )
  token
    .command('metrics')
    .description('list the tokens for /metrics')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async ({ database }) => {
        const tokens = (await listMetricsTokens(database)).map(each => ({ ...each }))
        return { json: { tokens }, text: listed(tokens, 'tokens for /metrics') }
      }),
    )
  const change = token
    .command('set')
    .description('change what a token may do, from where and until when')
    .argument('<id>', 'which one')
  addControls(change, tokenControls.set, 'set')
    .option(...jsonOption)
    .action((tokenId: string, options: Options) =>
      commandLine.run(options, async installation => {
        const input = valuesOf(options, tokenControls.set)
        const organizationId = await organizationOf(installation.database, kind, tokenId)
        const changed = await setToken(granting(installation), { ...input, organizationId, tokenId })
        return { json: changed, text: `Changed token ${changed.id}.` }
      }),
    )
  token
    .command('rotate')
    .description('replace a token by a new one with the same rights; it is shown this once')
    .argument('<id>', 'which one')
    .option('--overlap <duration>', 'how long the old one stays valid, 7d at most (0s)')
    .option(...jsonOption)
    .action((tokenId: string, options: RotateOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, tokenId)
        const overlap = options.overlap === undefined ? undefined : parseDuration(options.overlap)
        const { replaces, ...issued } = await rotateToken(installation, { organizationId, tokenId, overlap })
        const { text } = printed(issued)
        const until = isAhead(replaces.validUntil) ? `is valid until ${replaces.validUntil}` : 'has ended'
        return { json: { ...issued, replaces }, text: `${text}\n\nThe old token ${tokenId} ${until}.` }
      }),
    )
  token
    .command('revoke')
    .description('end a token at once, with its links to files and its jobs')
    .argument('<id>', 'which one')
    .option(...jsonOption)
    .action((tokenId: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        if (await revokeMetricsToken(installation.database, tokenId))
          return { json: { id: tokenId }, text: `Revoked token ${tokenId}.` }
        const organizationId = await organizationOf(installation.database, kind, tokenId)
        const revoked = await revokeToken(installation, { organizationId, tokenId })
        return { json: revoked, text: `Revoked token ${revoked.id}.` }
      }),
    )
}

/** Filters for tokens that can be revoked or must soon be replaced. Tokens that are not valid match neither. */
const tokenFilters: readonly Filter[] = [
  ...listFilters(kind, []),
  {
    option: new Option('--unused-for <duration>', 'valid ones that were not used for so long, such as 90d').argParser(
      parseDuration,
    ),
    keeps: (token, duration) =>
      isValid(token) && timeOf(token.lastUsedAt ?? token.createdAt) <= Date.now() - Number(duration),
  },
  {
    option: new Option('--expiring-in <duration>', 'valid ones that expire within this time, such as 14d').argParser(
      parseDuration,
    ),
    keeps: (token, duration) => isValid(token) && timeOf(token.expiresAt) <= Date.now() + Number(duration),
  },
]

function isValid({ revokedAt, expiresAt }: JsonObject): boolean {
  return revokedAt === null && !(timeOf(expiresAt) <= Date.now())
}

/** NaN if there is no time; it is neither before nor after any time. */
function timeOf(time: unknown): number {
  return typeof time === 'string' ? Date.parse(time) : Number.NaN
}

/** Accepts `all` for the scopes that permit something in this version. */
function granting(installation: Installation): Administration {
  return { ...installation, grantableScopes: grantableScopes.map(({ scope }) => scope) }
}

function isAhead(time: string): boolean {
  return Date.parse(time) > Date.now()
}

function printed(issued: IssuedToken | (MetricsToken & { readonly token: string })): Printed {
  const { token, ...shown } = issued
  const sheet = sheetOf({ ...shown })
  return { json: issued, text: `${token}\nKeep it: token ${issued.id} is not shown again.\n\n${sheet}` }
}

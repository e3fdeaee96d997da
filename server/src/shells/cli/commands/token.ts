import type { Command } from 'commander'
import type { Installation } from '../../../installation.ts'
import { grantableScopes } from '../../../modules.ts'
import {
  type Administration,
  application,
  createToken,
  type IssuedToken,
  token as kind,
  organizationOf,
  parseDuration,
  revokeToken,
  rotateToken,
  setToken,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'
import { sheetOf } from '../table.ts'
import { listOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly application: string
  readonly name: string
  readonly scopes: string
  readonly cidr?: string
  readonly expiresIn?: string
}

interface SetOptions extends OutputOptions {
  readonly name?: string
  readonly scopes?: string
  readonly cidr?: string | false
  readonly expiresIn?: string | false
}

interface RotateOptions extends OutputOptions {
  readonly overlap?: string
}

export function addTokenCommands(program: Command, commandLine: CommandLine): void {
  const token = program.command('token').description('API tokens')
  addCommonCommands(token, kind, commandLine)
  token
    .command('create')
    .description('create a token; it is shown this once')
    .requiredOption('--application <id>', 'of which application')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--scopes <scopes>', 'all, or a list such as crm_contacts_read,crm_deals_read')
    .option('--cidr <networks>', 'accept it from these networks only, such as 10.0.0.0/8,192.0.2.1')
    .option('--expires-in <duration>', 'such as 90d (s, m, h, d)')
    .option(...jsonOption)
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { application: applicationId, name, expiresIn } = options
        const organizationId = await organizationOf(installation.database, application, applicationId)
        const issued = await createToken(granting(installation), {
          organizationId,
          applicationId,
          name,
          scopes: listOf(options.scopes) ?? [],
          cidrs: listOf(options.cidr),
          expiresIn: durationOf(expiresIn),
        })
        return printed(issued)
      }),
    )
  token
    .command('set')
    .description('change what a token may do, from where and until when')
    .argument('<id>', 'which one')
    .option('--name <name>', 'its name')
    .option('--scopes <scopes>', 'all, or a list: all of them')
    .option('--cidr <networks>', 'accept it from these networks only')
    .option('--no-cidr', 'accept it from everywhere')
    .option('--expires-in <duration>', 'from now, such as 90d (s, m, h, d)')
    .option('--no-expires-in', 'it does not expire')
    .option(...jsonOption)
    .action((tokenId: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, tokenId)
        const { name, cidr, expiresIn } = options
        const changed = await setToken(granting(installation), {
          organizationId,
          tokenId,
          name,
          scopes: listOf(options.scopes),
          cidrs: cidr === false ? [] : listOf(cidr),
          expiresIn: expiresIn === false ? null : durationOf(expiresIn),
        })
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
        const overlap = durationOf(options.overlap)
        return printed(await rotateToken(installation, { organizationId, tokenId, overlap }))
      }),
    )
  token
    .command('revoke')
    .description('end a token at once, with its links to files and its jobs')
    .argument('<id>', 'which one')
    .option(...jsonOption)
    .action((tokenId: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, tokenId)
        const revoked = await revokeToken(installation, { organizationId, tokenId })
        return { json: revoked, text: `Revoked token ${revoked.id}.` }
      }),
    )
}

/** `all` stands for the scopes that open something in this version. */
function granting(installation: Installation): Administration {
  return { ...installation, grantableScopes: grantableScopes.map(({ scope }) => scope) }
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text)
}

function printed(issued: IssuedToken): Printed {
  const { token, ...shown } = issued
  const sheet = sheetOf({ ...shown })
  return { json: issued, text: `${token}\nKeep it: token ${issued.id} is not shown again.\n\n${sheet}` }
}

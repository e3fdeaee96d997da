import type { Command } from 'commander'
import {
  createToken,
  type IssuedToken,
  organizationOf,
  parseDuration,
  revokeToken,
  rotateToken,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'
import { listOf } from '../words.ts'

interface CreateOptions extends OutputOptions {
  readonly application: string
  readonly name: string
  readonly scopes: string
  readonly cidr?: string
  readonly expiresIn?: string
}

interface RotateOptions extends OutputOptions {
  readonly overlap?: string
}

export function addTokenCommands(program: Command, commandLine: CommandLine): void {
  const token = program.command('token').description('create, replace and end API tokens')
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
        const organizationId = await organizationOf(installation.database, 'application', applicationId)
        const issued = await createToken(installation, {
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
    .command('rotate')
    .description('replace a token by a new one with the same rights; it is shown this once')
    .argument('<id>', 'which one')
    .option('--overlap <duration>', 'how long the old one stays valid, 7d at most (0s)')
    .option(...jsonOption)
    .action((tokenId: string, options: RotateOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, 'token', tokenId)
        const overlap = durationOf(options.overlap)
        return printed(await rotateToken(installation, { organizationId, tokenId, overlap }))
      }),
    )
  token
    .command('revoke')
    .description('end a token at once')
    .argument('<id>', 'which one')
    .option(...jsonOption)
    .action((tokenId: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, 'token', tokenId)
        const revoked = await revokeToken(installation, { organizationId, tokenId })
        return { json: revoked, text: `Revoked token ${revoked.id}.` }
      }),
    )
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text)
}

function printed(issued: IssuedToken): Printed {
  const { id, token, scopes } = issued
  return { json: { id, token, scopes }, text: `${token}\nKeep it: token ${id} is not shown again.` }
}

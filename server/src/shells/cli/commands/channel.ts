import type { Command } from 'commander'
import {
  channelStatuses,
  channelTypes,
  createChannel,
  channel as kind,
  listChannels,
  removeChannel,
  setChannel,
  showChannel,
} from '../../../external/channels/index.ts'
import { Refusal } from '../../../kernel/index.ts'
import { AdministrationError, settingNamed, showOrganization } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { columnsOf, sheetOf, tableOf } from '../table.ts'

interface ListOptions extends OutputOptions {
  readonly organization: string
}

interface CreateOptions extends ListOptions {
  readonly type: string
  readonly name: string
  readonly identifier?: string
  readonly status?: string
}

interface SetOptions extends OutputOptions {
  readonly name?: string
  readonly status?: string
  readonly identifier?: string | false
}

const statuses = `one of ${channelStatuses.join(', ')}`

export function addChannelCommands(program: Command, commandLine: CommandLine): void {
  const channel = program.command('channel').description('channels, in which customers write')
  channel
    .command('create')
    .description('create a channel, whose AI operator is switched off')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--type <type>', `one of ${channelTypes.join(', ')}`)
    .requiredOption('--name <name>', 'how people know it')
    .option('--identifier <text>', 'its number, address or name; the API shows it masked')
    .option('--status <status>', `${statuses} (active)`)
    .option(...jsonOption)
    .action(({ organization, type, name, identifier, status, ...options }: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { id } = await showOrganization(installation.database, organization)
        const created = told(await createChannel(installation, String(id), { type, name, identifier, status }))
        return { json: created, text: `Created channel ${created.id}.` }
      }),
    )
  channel
    .command('list')
    .description('list channels')
    .requiredOption('--organization <id>', 'of which organization')
    .option(...jsonOption)
    .action((options: ListOptions) =>
      commandLine.run(options, async installation => {
        const { id } = await showOrganization(installation.database, options.organization)
        const channels = await listChannels(installation, String(id))
        const text = channels.length === 0 ? 'There are no channels.' : tableOf(channels, columnsOf(channels))
        return { json: { channels }, text }
      }),
    )
  channel
    .command('show')
    .description('show one channel')
    .argument('<id>', 'which one, or the name that it alone has')
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { organizationId, id } = await settingNamed(installation.database, kind, text)
        const record = told(await showChannel(installation, organizationId, id))
        return { json: record, text: sheetOf(record) }
      }),
    )
  channel
    .command('set')
    .description('change a channel')
    .argument('<id>', 'which one, or the name that it alone has')
    .option('--name <name>', 'how people know it')
    .option('--status <status>', statuses)
    .option('--identifier <text>', 'its number, address or name; the API shows it masked')
    .option('--no-identifier', 'without one')
    .option(...jsonOption)
    .action((text: string, { name, status, identifier: given, ...options }: SetOptions) =>
      commandLine.run(options, async installation => {
        const { organizationId, id } = await settingNamed(installation.database, kind, text)
        const identifier = given === false ? null : given
        const changed = told(await setChannel(installation, organizationId, id, { name, status, identifier }))
        return { json: changed, text: `Changed channel ${changed.id}.` }
      }),
    )
  channel
    .command('remove')
    .description('remove a channel together with its AI operator')
    .argument('<id>', 'which one, or the name that it alone has')
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { organizationId, id } = await settingNamed(installation.database, kind, text)
        const removed = told(await removeChannel(installation, organizationId, id))
        return { json: removed, text: `Removed channel ${removed.id}.` }
      }),
    )
}

/** What was done; a refusal becomes the reason of the command. */
function told<Result>(outcome: Result | Refusal): Result {
  if (outcome instanceof Refusal) throw new AdministrationError(outcome.message)
  return outcome
}

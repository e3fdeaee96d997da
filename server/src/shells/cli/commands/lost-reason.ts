import { type Command, Option } from 'commander'
import { createLostReason, lostReason as kind, organizationOf, setLostReason } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { choiceOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly organization: string
  readonly name: string
  readonly pipeline?: string
}

interface SetOptions extends OutputOptions {
  readonly name?: string
  readonly active?: boolean
  readonly inactive?: boolean
}

export function addLostReasonCommands(program: Command, commandLine: CommandLine): void {
  const lostReason = program.command('lost-reason').description('reasons for lost deals')
  addCommonCommands(lostReason, kind, commandLine)
  lostReason
    .command('create')
    .description('create a reason for lost deals')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'its name')
    .option('--pipeline <id>', 'for this pipeline only')
    .option(...jsonOption)
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, name, pipeline: pipelineId } = options
        const created = await createLostReason(installation, { organizationId, name, pipelineId })
        return { json: created, text: `Created lost reason ${created.uuid}.` }
      }),
    )
  lostReason
    .command('set')
    .description('change a reason for lost deals')
    .argument('<uuid>', 'which one')
    .option('--name <name>', 'its name')
    .addOption(new Option('--inactive', 'no more deals can be lost for it').conflicts('active'))
    .option('--active', 'deals can be lost for it')
    .option(...jsonOption)
    .action((lostReasonUuid: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, lostReasonUuid)
        const active = choiceOf(options.active, options.inactive)
        const changed = await setLostReason(installation, {
          organizationId,
          lostReasonUuid,
          name: options.name,
          active,
        })
        return { json: changed, text: `Changed lost reason ${changed.uuid}.` }
      }),
    )
}

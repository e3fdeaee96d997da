import { type Command, Option } from 'commander'
import { createApplication, application as kind, organizationOf, setApplication } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { choiceOf, numberOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface Rates extends OutputOptions {
  readonly rateRead?: string
  readonly rateWrite?: string
}

interface CreateOptions extends Rates {
  readonly organization: string
  readonly name: string
}

interface SetOptions extends Rates {
  readonly name?: string
  readonly enabled?: boolean
  readonly disabled?: boolean
}

export function addApplicationCommands(program: Command, commandLine: CommandLine): void {
  const application = program.command('application').description('applications, to which tokens belong')
  addCommonCommands(application, kind, commandLine)
  withRates(application.command('create').description('create an application, to which tokens belong'))
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'its name')
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, name } = options
        const created = await createApplication(installation, { organizationId, name, ...ratesOf(options) })
        return { json: created, text: `Created application ${created.id}.` }
      }),
    )
  withRates(application.command('set').description('change an application'))
    .argument('<id>', 'which one')
    .option('--name <name>', 'its name')
    .addOption(new Option('--disabled', 'refuse its tokens').conflicts('enabled'))
    .option('--enabled', 'accept its tokens')
    .action((applicationId: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, applicationId)
        const enabled = choiceOf(options.enabled, options.disabled)
        const change = { name: options.name, enabled, ...ratesOf(options) }
        const changed = await setApplication(installation, { organizationId, applicationId, ...change })
        return { json: changed, text: `Changed application ${changed.id}.` }
      }),
    )
}

function withRates(command: Command): Command {
  return command
    .option('--rate-read <n>', 'reading requests per minute')
    .option('--rate-write <n>', 'writing requests per minute')
    .option(...jsonOption)
}

function ratesOf({ rateRead, rateWrite }: Rates) {
  return { rateRead: numberOf(rateRead), rateWrite: numberOf(rateWrite) }
}

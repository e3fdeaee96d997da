import { type Command, Option } from 'commander'
import { createOperator, operator as kind, organizationOf, setOperator } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { choiceOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly organization: string
  readonly name: string
  readonly email: string
}

interface SetOptions extends OutputOptions {
  readonly name?: string
  readonly email?: string
  readonly active?: boolean
  readonly inactive?: boolean
}

export function addOperatorCommands(program: Command, commandLine: CommandLine): void {
  const operator = program.command('operator').description('operators, who can own records')
  addCommonCommands(operator, kind, commandLine)
  operator
    .command('create')
    .description('create an operator, who can own records')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'name of the person')
    .requiredOption('--email <address>', 'unique in the organization')
    .option(...jsonOption)
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, name, email } = options
        const created = await createOperator(installation, { organizationId, name, email })
        return { json: created, text: `Created operator ${created.id}.` }
      }),
    )
  operator
    .command('set')
    .description('change an operator')
    .argument('<id>', 'which one')
    .option('--name <name>', 'name of the person')
    .option('--email <address>', 'unique in the organization')
    .addOption(new Option('--inactive', 'no more records can be given to the operator').conflicts('active'))
    .option('--active', 'records can be given to the operator')
    .option(...jsonOption)
    .action((operatorId: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, operatorId)
        const active = choiceOf(options.active, options.inactive)
        const { name, email } = options
        const changed = await setOperator(installation, { organizationId, operatorId, name, email, active })
        return { json: changed, text: `Changed operator ${changed.id}.` }
      }),
    )
}

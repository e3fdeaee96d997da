import type { Command } from 'commander'
import { customFieldKinds } from '../../../modules.ts'
import { createCustomField } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface Options extends OutputOptions {
  readonly organization: string
  readonly kind: string
  readonly key: string
  readonly type: string
  readonly label?: string
  readonly option?: readonly string[]
  readonly required?: boolean
}

export function addCustomFieldCommands(program: Command, commandLine: CommandLine): void {
  program
    .command('custom-field')
    .description('create custom fields')
    .command('create')
    .description('create a custom field')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--kind <kind>', `what has it: ${customFieldKinds.join(', ')}`)
    .requiredOption('--key <key>', 'its name in the API: lower-case letters, digits and _')
    .requiredOption('--type <type>', 'text, number, boolean, date, datetime, select, multiselect, url or user')
    .option('--label <label>', 'its name for people (the key)')
    .option('--option <key=label...>', 'what a select or multiselect chooses from; once for each, in order')
    .option('--required', 'every record needs a value')
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, option = [], ...field } = options
        const input = { ...field, organizationId, options: option.map(optionOf) }
        const created = await createCustomField(installation, input, customFieldKinds)
        return { json: created, text: `Created custom field ${created.key}.` }
      }),
    )
}

/** `key=Label`; a key alone is its own label. */
function optionOf(text: string): { key: string; label: string } {
  const [key = '', ...label] = text.split('=')
  return { key, label: label.length === 0 ? key : label.join('=') }
}

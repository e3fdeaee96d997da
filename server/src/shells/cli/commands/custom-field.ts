import { type Command, Option } from 'commander'
import { customFieldKinds } from '../../../modules.ts'
import { createCustomField, customField as kind, setCustomField, showSetting } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { choiceOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly organization: string
  readonly kind: string
  readonly key: string
  readonly type: string
  readonly label?: string
  readonly option?: readonly string[]
  readonly required?: boolean
}

interface SetOptions extends OutputOptions {
  readonly organization?: string
  readonly label?: string
  readonly option?: readonly string[]
  readonly required?: boolean
  readonly optional?: boolean
}

export function addCustomFieldCommands(program: Command, commandLine: CommandLine): void {
  const customField = program.command('custom-field').description('custom fields, which records of one kind have')
  addCommonCommands(customField, kind, commandLine)
  customField
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
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, option = [], ...field } = options
        const input = { ...field, organizationId, options: option.map(optionOf) }
        const created = await createCustomField(installation, input, customFieldKinds)
        return { json: created, text: `Created custom field ${created.key}.` }
      }),
    )
  customField
    .command('set')
    .description('change a custom field')
    .argument('<id>', 'which one: its id, or kind and key of an organization, such as contact.region')
    .option('--organization <id>', 'of which organization; where the id alone does not tell')
    .option('--label <label>', 'its name for people')
    .option('--option <key=label...>', 'what it chooses from; all of them, in order')
    .addOption(new Option('--required', 'every record needs a value').conflicts('optional'))
    .option('--optional', 'records need no value')
    .option(...jsonOption)
    .action((id: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const found = await showSetting(installation.database, kind, id, options.organization)
        const changed = await setCustomField(installation, {
          organizationId: String(found.organizationId),
          customFieldId: String(found.id),
          label: options.label,
          options: options.option?.map(optionOf),
          required: choiceOf(options.required, options.optional),
        })
        return { json: changed, text: `Changed custom field ${changed.key}.` }
      }),
    )
}

/** `key=Label`; a key alone is its own label. */
function optionOf(text: string): { key: string; label: string } {
  const [key = '', ...label] = text.split('=')
  return { key, label: label.length === 0 ? key : label.join('=') }
}

import type { Command } from 'commander'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import {
  AdministrationError,
  createOrganization,
  organization as kind,
  listOrganizations,
  type Organization,
  organizationControls,
  setOrganization,
  showOrganization,
  sizeText,
} from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'
import { addControls, type GivenOptions, valuesOf } from '../controls.ts'
import { filtered, listFilters } from '../filters.ts'
import { sheetOf } from '../table.ts'
import { addOrganizationFileCommands } from './organization-file.ts'
import { listed, pointingToList } from './setting.ts'

type Options = OutputOptions & GivenOptions & { readonly organization?: string; readonly all?: boolean }

export function addOrganizationCommands(program: Command, commandLine: CommandLine): void {
  const organization = program.command('organization').description('organizations, to which everything belongs')
  addReadCommands(organization, commandLine)
  const { create, set } = organizationControls
  addControls(
    organization.command('create').description('create an organization with a pipeline and lost reasons'),
    create,
    'create',
  )
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async installation =>
        printed(await createOrganization(installation, valuesOf(options, create)), 'Created'),
      ),
    )
  const change = organization
    .command('set')
    .description('change an organization')
    .argument('[id]', 'which one, or the name that it alone has')
    .option('--organization <id>', 'the same')
  addControls(change, set, 'set')
    .option('--all', 'with --read-only or --writable alone: all organizations of the installation')
    .option(...jsonOption)
    .action((id: string | undefined, options: Options) =>
      commandLine.run(options, async installation => {
        const { organization: text = id } = options
        const input = valuesOf(options, set)
        if (options.all === true) return setAll(installation, text, input)
        if (text === undefined) throw new AdministrationError('which organization: see organization list')
        const { id: organizationId } = await showOrganization(installation.database, text)
        const changed = await setOrganization(installation, { ...input, organizationId: String(organizationId) })
        const { json, text: told } = printed(changed, 'Changed')
        const { phoneJobId } = changed
        const follow = `Its phone numbers are normalised anew: see job show ${phoneJobId} --follow.`
        return { json, text: phoneJobId === undefined ? told : `${told}\n${follow}` }
      }),
    )
  addOrganizationFileCommands(organization, commandLine)
}

function addReadCommands(parent: Command, commandLine: CommandLine): void {
  const filters = listFilters(kind, organizationControls.set)
  const list = parent.command('list').description('list organizations')
  for (const { option } of filters) list.addOption(option)
  list.option(...jsonOption).action((options: Options) =>
    commandLine.run(options, async ({ database }) => {
      const organizations = filtered(await listOrganizations(database), filters, options)
      return { json: { organizations }, text: listed(organizations, 'organizations') }
    }),
  )
  parent
    .command('show')
    .description('show one organization')
    .argument('<id>', 'which one, or the name that it alone has')
    .option(...jsonOption)
    .action((id: string, options: OutputOptions) =>
      commandLine.run(options, async ({ database }) => {
        const record = await pointingToList(kind, showOrganization(database, id))
        return { json: record, text: sheetOf(record) }
      }),
    )
}

/** Makes every organization read-only, or writable again. Each change is audited separately. */
async function setAll(
  installation: Installation,
  organizationId: string | undefined,
  { readOnly, ...others }: JsonObject,
): Promise<Printed> {
  if (organizationId !== undefined || typeof readOnly !== 'boolean' || Object.keys(others).length > 0)
    throw new AdministrationError('--all goes with --read-only or --writable alone')
  const organizations: { id: string }[] = []
  for (const { id } of await listOrganizations(installation.database)) {
    const changed = await setOrganization(installation, { organizationId: String(id), readOnly })
    organizations.push({ id: changed.id })
  }
  const words = readOnly ? 'read-only' : 'writable'
  return { json: { organizations, readOnly }, text: `Made ${organizations.length} organizations ${words}.` }
}

function printed(organization: Organization, done: string): Printed {
  const { id, name, timeZone, currencies, country, locale, crmProvider, fileQuotaBytes, readOnly } = organization
  const settings = [
    timeZone,
    currencies.join(' '),
    country,
    locale,
    crmProvider,
    `${sizeText(fileQuotaBytes)} of files`,
  ]
  const facts = [...settings, ...(readOnly ? ['read-only'] : [])].join(', ')
  return { json: organization, text: `${done} organization ${id} "${name}" (${facts}).` }
}

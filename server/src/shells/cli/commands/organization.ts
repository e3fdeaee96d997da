import { type Command, Option } from 'commander'
import type { Installation } from '../../../installation.ts'
import {
  AdministrationError,
  createOrganization,
  listOrganizations,
  type Organization,
  parseSize,
  setOrganization,
  showOrganization,
  sizeText,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'
import { listOf } from '../words.ts'
import { addOrganizationFileCommands } from './organization-file.ts'
import { addOrganizationReadCommands } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly name: string
  readonly timeZone?: string
  readonly currency?: string
  readonly country?: string
  readonly locale?: string
  readonly sandbox?: boolean
}

interface SetOptions extends OutputOptions {
  readonly organization?: string
  readonly name?: string
  readonly provider?: string
  readonly currencies?: string
  readonly timeZone?: string
  readonly country?: string
  readonly locale?: string
  readonly quota?: string
  readonly readOnly?: boolean
  readonly writable?: boolean
  readonly all?: boolean
}

export function addOrganizationCommands(program: Command, commandLine: CommandLine): void {
  const organization = program.command('organization').description('organizations, to which everything belongs')
  addOrganizationReadCommands(organization, commandLine)
  organization
    .command('create')
    .description('create an organization with a pipeline and lost reasons')
    .requiredOption('--name <name>', 'its name')
    .option('--time-zone <zone>', 'IANA time zone (UTC)')
    .option('--currency <code>', 'default currency (USD)')
    .option('--country <code>', 'country of phone numbers without a country code (US)')
    .option('--locale <tag>', 'language tag (en)')
    .option('--sandbox', 'for trials: its tokens begin with crm_test_')
    .option(...jsonOption)
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation =>
        printed(await createOrganization(installation, options), 'Created'),
      ),
    )
  organization
    .command('set')
    .description('change an organization')
    .argument('[id]', 'which one')
    .option('--organization <id>', 'the same')
    .option('--name <name>', 'its name')
    .addOption(new Option('--provider <provider>', 'who keeps the CRM data').choices(['built_in', 'external']))
    .option('--currencies <codes>', 'enabled currencies, such as USD,EUR; the default currency always is')
    .option('--time-zone <zone>', 'IANA time zone')
    .option('--country <code>', 'country of phone numbers without a country code, such as DE; they are normalised anew')
    .option('--locale <tag>', 'language tag, such as de')
    .option('--quota <size>', 'how much its files may be in all, such as 40GiB')
    .addOption(new Option('--read-only', 'refuse its writes with 503, and let its jobs wait').conflicts('writable'))
    .option('--writable', 'take its writes again')
    .option('--all', 'with --read-only or --writable alone: all organizations of the installation')
    .option(...jsonOption)
    .action((id: string | undefined, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId = id, name, provider: crmProvider, timeZone, country, locale } = options
        const readOnly = options.readOnly ?? (options.writable === undefined ? undefined : !options.writable)
        if (options.all === true) return setAll(installation, organizationId, options, readOnly)
        if (organizationId === undefined) throw new AdministrationError('which organization: see organization list')
        const currencies = listOf(options.currencies)
        const fileQuotaBytes = options.quota === undefined ? undefined : parseSize(options.quota)
        const change = { name, crmProvider, currencies, timeZone, country, locale, fileQuotaBytes, readOnly }
        const { id: named } = await showOrganization(installation.database, organizationId)
        const changed = await setOrganization(installation, { organizationId: String(named), ...change })
        const { json, text } = printed(changed, 'Changed')
        const { phoneJobId } = changed
        const follow = `Its phone numbers are normalised anew: see job show ${phoneJobId} --follow.`
        return { json, text: phoneJobId === undefined ? text : `${text}\n${follow}` }
      }),
    )
  addOrganizationFileCommands(organization, commandLine)
}

/** Makes every organization read-only, or writable again; each is audited by itself. */
async function setAll(
  installation: Installation,
  organizationId: string | undefined,
  { all: _, json: __, readOnly: ___, writable: ____, ...others }: SetOptions,
  readOnly: boolean | undefined,
): Promise<Printed> {
  if (organizationId !== undefined || readOnly === undefined || Object.keys(others).length > 0)
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

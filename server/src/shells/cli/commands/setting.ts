import type { Command } from 'commander'
import type { Installation } from '../../../installation.ts'
import type { Nested } from '../../../kernel/index.ts'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import {
  AdministrationError,
  idNamed,
  listOrganizations,
  listSettings,
  organizationOf,
  removeSetting,
  type SettingsPlace,
  showOrganization,
  showSetting,
  UnknownSetting,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { columnsOf, sheetOf, tableOf } from '../table.ts'

interface PlaceOptions extends OutputOptions {
  readonly organization?: string
  readonly application?: string
  readonly pipeline?: string
}

/** Adds `list`, `show` and `remove` for settings of one kind. */
export function addCommonCommands(parent: Command, kind: Nested, commandLine: CommandLine): void {
  const { resource } = kind.parent
  const words = kind.kind.replaceAll('_', ' ')
  const list = parent
    .command('list')
    .description(`list ${words}s`)
    .option('--organization <id>', 'of which organization')
    .option(...jsonOption)
    .action((options: PlaceOptions) =>
      commandLine.run(options, async installation => {
        const place = await placeOf(options, kind, installation)
        const records = await listSettings(installation.database, kind, place)
        return { json: { [kind.parent.part]: records }, text: listed(records, `${words}s`) }
      }),
    )
  if (resource.parent !== null) list.option(`--${resource.kind} <id>`, `of which ${resource.kind}`)
  parent
    .command('show')
    .description(`show one ${words}`)
    .argument('<id>', 'which one, or the name that it alone has')
    .option('--organization <id>', 'of which organization; where the id alone does not tell')
    .option(...jsonOption)
    .action((id: string, options: PlaceOptions) =>
      commandLine.run(options, async installation => {
        const record = await shown(kind, showSetting(installation.database, kind, id, options.organization))
        return { json: record, text: sheetOf(record) }
      }),
    )
  parent
    .command('remove')
    .description(`remove ${/^[aeiou]/u.test(words) ? 'an' : 'a'} ${words} that nothing refers to`)
    .argument('<id>', 'which one')
    .option('--organization <id>', 'of which organization; where the id alone does not tell')
    .option(...jsonOption)
    .action((id: string, options: PlaceOptions) =>
      commandLine.run(options, async installation => {
        // Only this command has to know all kinds of records.
        const { nestedResources, resources, settingKinds } = await import('../../../modules.ts')
        const found = await showSetting(installation.database, kind, id, options.organization)
        const organizationId = String(found.organizationId)
        const address = { organizationId, kind, id: String(found.recordId ?? found.id) }
        await removeSetting(installation, address, [...resources, ...nestedResources, ...settingKinds])
        return { json: { id: found.id }, text: `Removed ${words} ${String(found.id)}.` }
      }),
    )
}

/** Adds the same for organizations. */
export function addOrganizationReadCommands(parent: Command, commandLine: CommandLine): void {
  parent
    .command('list')
    .description('list organizations')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async ({ database }) => {
        const organizations = await listOrganizations(database)
        return { json: { organizations }, text: listed(organizations, 'organizations') }
      }),
    )
  parent
    .command('show')
    .description('show one organization')
    .argument('<id>', 'which one')
    .option(...jsonOption)
    .action((id: string, options: OutputOptions) =>
      commandLine.run(options, async ({ database }) => {
        const record = await shown({ kind: 'organization' }, showOrganization(database, id))
        return { json: record, text: sheetOf(record) }
      }),
    )
}

/** What is shown; where there is no such thing, the reason names the list of those that there are. */
async function shown(kind: Pick<Nested, 'kind'>, record: Promise<JsonObject>): Promise<JsonObject> {
  return record.catch(error => {
    if (!(error instanceof UnknownSetting)) throw error
    throw new AdministrationError(`${error.message}: see ${kind.kind.replaceAll('_', '-')} list`)
  })
}

/** An application or pipeline tells its organization as well. */
async function placeOf(options: PlaceOptions, kind: Nested, { database }: Installation): Promise<SettingsPlace> {
  const { resource } = kind.parent
  const parentId = resource.kind === 'application' ? options.application : options.pipeline
  if (resource.parent !== null && parentId !== undefined) {
    const id = await idNamed(database, resource, parentId)
    return { organizationId: await organizationOf(database, resource, id), parentId: id }
  }
  const { organization: organizationId } = options
  if (organizationId === undefined) throw new AdministrationError('--organization is missing: see organization list')
  const { id } = await showOrganization(database, organizationId)
  return { organizationId: String(id) }
}

/** The lines that show records, or that there are none. */
export function listed(records: readonly JsonObject[], words: string): string {
  return records.length === 0 ? `There are no ${words}.` : tableOf(records, columnsOf(records))
}

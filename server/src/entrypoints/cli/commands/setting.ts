import { type Command, Option } from 'commander'
import { kindsWith, type Resource } from '../../../kernel/index.ts'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import {
  type Administered,
  AdministrationError,
  type Control,
  customField,
  idNamed,
  listEverywhere,
  listSettings,
  organizationOf,
  type SettingsPlace,
  showOrganization,
  showSetting,
  UnknownSetting,
} from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { administered as all } from '../administered.ts'
import { briefWebhook } from '../brief-webhook.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { addControls, type GivenOptions, valuesOf } from '../controls.ts'
import { type Filter, filtered, listFilters } from '../filters.ts'
import { columnsOf, sheetOf, tableOf } from '../table.ts'

/** What the commands need to know of a kind of settings. */
export interface AdministeredKind extends Pick<Administered, 'kind' | 'remove'> {
  /** What `remove` removes; by default one to which nothing refers. */
  readonly removes?: string
  readonly filters: readonly Filter[]
  /** A record as tables show it; the whole record if absent. */
  brief?(record: JsonObject): JsonObject
  /** What `show` adds to a record: members of the document, and lines of the text. */
  alsoShows?(
    installation: Installation,
    record: JsonObject,
  ): Promise<{ readonly json: JsonObject; readonly lines: JsonObject }>
}

type Options = OutputOptions & GivenOptions & { readonly organization?: string }

const organizationOption = ['--organization <id>', 'of which organization'] as const
const whereUnclear = ['--organization <id>', 'of which organization; where the id alone does not tell'] as const

/**
 * Returns the function that adds the commands of a kind of settings as its declaration says; `word` is the first word of the commands:
 * `lost-reason`.
 */
export async function settingCommands(word: string): Promise<(program: Command, commandLine: CommandLine) => void> {
  const found = all.find(({ kind }) => wordFor(kind) === word)
  if (found === undefined) throw new Error(`nothing is administered by ${word}`)
  const kinds = await kindsFor(found.controls.create)
  const withChoices = ({ form, ...control }: Control) =>
    form.kindsWith === undefined ? { form, ...control } : { form, ...control, choices: kinds }
  const controls = { create: found.controls.create.map(withChoices), set: found.controls.set.map(withChoices) }
  const filters = listFilters(found.kind, controls.create.concat(controls.set.filter(({ field }) => field.patchOnly)))
  return (program, commandLine) => {
    const parent = program.command(word).description(found.about)
    addReadCommands(parent, { ...found, filters }, commandLine)
    addWriteCommands(parent, { ...found, controls }, kinds, commandLine)
  }
}

/** The kinds of records that can be chosen. Only a few commands need them. */
async function kindsFor(controls: readonly Control[]): Promise<readonly string[]> {
  const role = controls.flatMap(({ form }) => form.kindsWith ?? [])[0]
  if (role === undefined) return []
  const { resources } = await import('../../../modules.ts')
  return kindsWith(role, { resources })
}

/** Adds `create` and `set`. */
function addWriteCommands(
  parent: Command,
  { kind, controls, creates, create, set }: Administered,
  kinds: readonly string[],
  commandLine: CommandLine,
): void {
  const words = wordsFor(kind)
  const owner = kind.parent?.resource
  const creation = parent.command('create').description(`create ${creates}`)
  if (isSetting(owner)) creation.requiredOption(`--${owner.kind} <id>`, `of which ${owner.kind}`)
  else creation.requiredOption(...organizationOption)
  addControls(creation, controls.create, 'create')
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async installation => {
        const input = valuesOf(options, controls.create)
        const { organizationId, parentId } = await placeOf(options, kind, installation)
        const belongsTo = isSetting(owner) ? { [kind.parent?.member ?? '']: parentId } : {}
        const created = await create(installation, { organizationId, ...belongsTo, ...input }, kinds)
        return { json: created, text: `Created ${words} ${created.id}${partsOf({ ...created })}` }
      }),
    )
  const change = parent
    .command('set')
    .description(`change ${article(words)}`)
    .argument('<id>', whichOf(kind))
    .option(...whereUnclear)
  addControls(change, controls.set, 'set')
    .option(...jsonOption)
    .action((text: string, options: Options) =>
      commandLine.run(options, async installation => {
        const input = valuesOf(options, controls.set)
        const { address } = await addressOf(text, kind, options, installation)
        const changed = await set(installation, { ...address, ...input })
        return { json: changed, text: `Changed ${words} ${changed.id}.` }
      }),
    )
}

/** The end of the sentence about a new record: the stages that a new pipeline has. */
function partsOf({ stages }: JsonObject): string {
  if (!Array.isArray(stages)) return '.'
  return `:\n${stages.map(({ uuid, name, type }) => `  ${uuid}  ${name} (${type})`).join('\n')}`
}

/** Adds `list`, `show` and `remove`. */
export function addReadCommands(parent: Command, administered: AdministeredKind, commandLine: CommandLine): void {
  const { kind, filters, remove, brief = record => record, alsoShows } = administered
  const words = wordsFor(kind)
  const { removes = `${article(words)} that nothing refers to` } = administered
  const owner = kind.parent?.resource
  const list = parent
    .command('list')
    .description(`list ${words}s`)
    .option(...organizationOption)
    .addOption(
      new Option('--all', 'of all organizations of the installation').conflicts(['organization', owner?.kind ?? '']),
    )
  if (isSetting(owner)) list.option(`--${owner.kind} <id>`, `of which ${owner.kind}`)
  for (const { option } of filters) list.addOption(option)
  list.option(...jsonOption).action((options: Options) =>
    commandLine.run(options, async installation => {
      const { database } = installation
      const records = options.all
        ? await listEverywhere(database, kind)
        : await listSettings(database, kind, await placeOf(options, kind, installation))
      const kept = filtered(records, filters, options)
      return { json: { [kind.parent?.part ?? kind.plural]: kept }, text: listed(kept.map(brief), `${words}s`) }
    }),
  )
  parent
    .command('show')
    .description(`show one ${words}`)
    .argument('<id>', whichOf(kind))
    .option(...whereUnclear)
    .option(...jsonOption)
    .action((id: string, options: Options) =>
      commandLine.run(options, async installation => {
        const record = await pointingToList(kind, showSetting(installation.database, kind, id, options.organization))
        const added = await alsoShows?.(installation, record)
        return { json: { ...record, ...added?.json }, text: sheetOf({ ...(await inBrief(record)), ...added?.lines }) }
      }),
    )
  parent
    .command('remove')
    .description(`remove ${removes}`)
    .argument('<id>', whichOf(kind))
    .option(...whereUnclear)
    .option(...jsonOption)
    .action((text: string, options: Options) =>
      commandLine.run(options, async installation => {
        // Only this command needs all kinds of records.
        const { nestedResources, resources, settingKinds } = await import('../../../modules.ts')
        const { shownId, address } = await addressOf(text, kind, options, installation)
        await remove(installation, address, [...resources, ...nestedResources, ...settingKinds])
        return { json: { id: shownId }, text: `Removed ${words} ${shownId}.` }
      }),
    )
}

/** The same record, with the tokens and webhooks of an application as tables show them. */
async function inBrief(record: JsonObject): Promise<JsonObject> {
  const { tokens, webhooks } = record
  if (!Array.isArray(tokens) || !Array.isArray(webhooks)) return record
  const { withBriefScopes } = await import('../brief-scopes.ts')
  return { ...record, tokens: tokens.map(withBriefScopes), webhooks: webhooks.map(briefWebhook) }
}

/** The address of a setting. Tables show a token under another id than the one of its record. */
async function addressOf(text: string, kind: Resource, { organization }: Options, { database }: Installation) {
  const { id, organizationId, recordId = id } = await showSetting(database, kind, text, organization)
  return { address: { organizationId: String(organizationId), id: String(recordId) }, shownId: String(id) }
}

/** Resolves to the record; if there is none, the error names the command that lists the records. */
export async function pointingToList(kind: Pick<Resource, 'kind'>, record: Promise<JsonObject>): Promise<JsonObject> {
  return record.catch(error => {
    if (!(error instanceof UnknownSetting)) throw error
    throw new AdministrationError(`${error.message}: see ${wordFor(kind)} list`)
  })
}

/** A parent application or pipeline also determines the organization. */
async function placeOf(options: Options, kind: Resource, { database }: Installation): Promise<SettingsPlace> {
  const owner = kind.parent?.resource
  const { organization, [owner?.kind ?? '']: parent } = options
  if (isSetting(owner) && typeof parent === 'string') {
    const id = await idNamed(database, owner, parent)
    return { organizationId: await organizationOf(database, owner, id), parentId: id }
  }
  if (organization === undefined) throw new AdministrationError('--organization is missing: see organization list')
  const { id } = await showOrganization(database, organization)
  return { organizationId: String(id) }
}

/** Whether settings belong to a setting, such as an application, and not to the organization itself. */
function isSetting(owner: Resource | undefined): owner is Resource {
  return owner !== undefined && owner.parent !== null
}

/** How commands refer to one of a kind. */
function whichOf({ kind }: Resource): string {
  return kind === customField.kind
    ? 'its id, or kind and key of an organization, such as contact.region'
    : 'which one, or the name that it alone has'
}

/** The table of these records, or a sentence that there are none. */
export function listed(records: readonly JsonObject[], words: string): string {
  return records.length === 0 ? `There are no ${words}.` : tableOf(records, columnsOf(records))
}

function wordFor({ kind }: Pick<Resource, 'kind'>): string {
  return kind.replaceAll('_', '-')
}

function wordsFor({ kind }: Resource): string {
  return kind.replaceAll('_', ' ')
}

function article(words: string): string {
  return `${/^[aeiou]/u.test(words) ? 'an' : 'a'} ${words}`
}

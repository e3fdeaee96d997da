import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { systemClock } from '../../../kernel/index.ts'
import { eventSources, grantableScopes } from '../../../modules.ts'
import {
  AdministrationError,
  application,
  type ChangedWebhook,
  createWebhook,
  webhook as kind,
  organizationOf,
  parseDuration,
  pauseWebhook,
  removeSetting,
  resumeWebhook,
  rotateWebhook,
  type SettingAddress,
  settingNamed,
  setWebhook,
  type WebhookAdministration,
  webhookControls,
} from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { briefWebhook } from '../brief-webhook.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'
import { addControls, type GivenOptions, valuesOf } from '../controls.ts'
import { type Filter, listFilters } from '../filters.ts'
import { printable } from '../printable.ts'
import { type AdministeredKind, addReadCommands } from './setting.ts'
import { addWebhookLog, stateOfDeliveries } from './webhook-deliveries.ts'
import { addWebhookReplay } from './webhook-replay.ts'

type Options = OutputOptions & GivenOptions & { readonly application: string; readonly headerFile?: string }

interface RotateOptions extends OutputOptions {
  readonly overlap?: string
}

const which = ['<id>', 'which one, or the name that it alone has'] as const

export function addWebhookCommands(program: Command, commandLine: CommandLine): void {
  const webhook = program.command('webhook').description('webhooks, which tell other systems of changes')
  const remove: AdministeredKind['remove'] = (installation, address, kinds) =>
    removeSetting(installation, { ...address, kind }, kinds)
  const administered = {
    kind,
    remove,
    removes: 'a webhook',
    filters,
    brief: briefWebhook,
    alsoShows: stateOfDeliveries,
  }
  addReadCommands(webhook, administered, commandLine)
  addWriteCommands(webhook, commandLine)
  addTurnCommands(webhook, commandLine)
  webhook
    .command('rotate')
    .description('replace the secret of a webhook; it is shown this once')
    .argument(...which)
    .option('--overlap <duration>', 'how long deliveries are signed with the former one as well, 7d at most (24h)')
    .option(...jsonOption)
    .action((text: string, options: RotateOptions) =>
      commandLine.run(options, async installation => {
        const overlap = options.overlap === undefined ? undefined : parseDuration(options.overlap)
        const address = await settingNamed(installation.database, kind, text)
        const rotated = await rotateWebhook(installation, { ...address, overlap })
        const { formerSecretUntil: until } = rotated
        const former = until === null ? 'is used no more' : `signs deliveries as well until ${until}`
        return { json: rotated, text: `${secretOf(rotated)}\n\nThe former secret ${former}.` }
      }),
    )
  webhook
    .command('test')
    .description('send webhook.test to the receiver once, and print what it answers')
    .argument(...which)
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { testWebhook } = await import('../../../webhooks/test-webhook.ts')
        const { database, secret } = installation
        const address = await settingNamed(database, kind, text)
        const parts = { database, secret, outbound: await outboundOf(installation), clock: systemClock }
        const { status, milliseconds, answer, isCut } = await testWebhook(address, parts)
        const told = `${status} after ${milliseconds} ms\n\n${answer}${isCut ? '…' : ''}`
        return { json: { status, milliseconds, answer: printable(answer) }, text: printable(told) }
      }),
    )
  addWebhookLog(webhook, commandLine)
  addWebhookReplay(webhook, commandLine)
}

/** Adds `create` and `set`. */
function addWriteCommands(webhook: Command, commandLine: CommandLine): void {
  const creation = webhook
    .command('create')
    .description('create a webhook of an application; its secret is shown this once')
    .requiredOption('--application <id>', 'of which application')
  addControls(creation, webhookControls.create, 'create')
    .option(...headerFileOption)
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async installation => {
        const { application: applicationId } = options
        const input = valuesOf(withHeadersOfFile(options), webhookControls.create)
        const organizationId = await organizationOf(installation.database, application, applicationId)
        const administration = await administrationOf(installation)
        const created = await createWebhook(administration, { ...input, organizationId, applicationId })
        const warnings = await warningsOf({ organizationId, id: created.id }, installation, commandLine, options)
        return { json: { ...created, warnings }, text: secretOf(created) }
      }),
    )
  const change = webhook
    .command('set')
    .description('change a webhook; a receiver on another host gets another secret')
    .argument(...which)
  addControls(change, webhookControls.set, 'set')
    .option(...headerFileOption)
    .option(...jsonOption)
    .action((text: string, options: Options) =>
      commandLine.run(options, async installation => {
        const input = valuesOf(withHeadersOfFile(options), webhookControls.set)
        const address = await settingNamed(installation.database, kind, text)
        const changed = await setWebhook(await administrationOf(installation), { ...input, ...address })
        return printed(changed, await warningsOf(address, installation, commandLine, options))
      }),
    )
}

/** Arguments stand in the list of processes, which other users of the machine can read. */
const headerFileOption = ['--header-file <path>', 'headers from a file, one a line, or - for standard input'] as const

/** The options with the headers of the file beside those given one by one. Throws an `AdministrationError` for a file that cannot be read. */
function withHeadersOfFile({ headerFile, ...options }: Options): GivenOptions {
  if (headerFile === undefined) return options
  const lines = linesOf(headerFile).filter(line => line.trim() !== '')
  return { ...options, header: Array.isArray(options.header) ? [...options.header, ...lines] : lines }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').split(/\r?\n/u)
  } catch {
    throw new AdministrationError(`the file of headers cannot be read: ${path}`)
  }
}

/** Adds `pause` and `resume`. */
function addTurnCommands(webhook: Command, commandLine: CommandLine): void {
  const turns = [
    ['pause', 'stop its deliveries until it is resumed', 'Paused', pauseWebhook],
    ['resume', 'continue its deliveries where they stopped', 'Resumed', resumeWebhook],
  ] as const
  for (const [word, does, done, turn] of turns) {
    webhook
      .command(word)
      .description(does)
      .argument(...which)
      .option(...jsonOption)
      .action((text: string, options: OutputOptions) =>
        commandLine.run(options, async installation => {
          const address = await settingNamed(installation.database, kind, text)
          const turned = await turn(installation, address)
          const warnings = await warningsOf(address, installation, commandLine, options)
          return { json: { ...turned, warnings }, text: `${done} webhook ${turned.id}.` }
        }),
      )
  }
}

const filters: readonly Filter[] = [
  ...listFilters(kind, webhookControls.set),
  { option: new Option('--paused', 'those that are paused'), keeps: ({ enabled }) => enabled === false },
]

async function administrationOf(installation: Installation): Promise<WebhookAdministration> {
  return {
    ...installation,
    eventSources,
    grantableScopes: grantableScopes.map(({ scope }) => scope),
    outbound: await outboundOf(installation),
  }
}

async function outboundOf({ config }: Installation) {
  const { Outbound } = await import('../../../kernel/outbound/index.ts')
  return new Outbound({ allowedNetworks: config.outboundAllowedNetworks })
}

function secretOf({ id, secret }: { readonly id: string; readonly secret: string }): string {
  return `${secret}\nKeep it: the secret of webhook ${id} is not shown again.`
}

/**
 * What is wrong with a webhook that is not paused, although its settings are valid. Without `--json`, standard error has it. It never throws:
 * the webhook is stored already, and its secret is printed after this and never again.
 */
async function warningsOf(
  address: SettingAddress,
  installation: Installation,
  commandLine: CommandLine,
  { json }: OutputOptions,
): Promise<string[]> {
  const warnings = await scopesMissingOf(address, installation, commandLine).then(
    scopes =>
      scopes.length === 0
        ? []
        : [`the webhook is held until it has the scopes that its filters need: ${scopes.join(', ')}`],
    (error: unknown) => [
      `whether the webhook has the scopes that its filters need could not be read: ${String(error)}`,
    ],
  )
  if (!json) for (const warning of warnings) commandLine.streams.err(`warning: ${warning}\n`)
  return warnings
}

async function scopesMissingOf(
  { organizationId, id }: SettingAddress,
  installation: Installation,
  commandLine: CommandLine,
): Promise<string[]> {
  const { missingFilterScopes, readSubscriptions } = await import('../../../webhooks/subscription.ts')
  const [subscription] = await readSubscriptions(organizationId, [id], await commandLine.services(installation))
  return subscription === undefined ? [] : missingFilterScopes(subscription, systemClock.now())
}

function printed({ id, moved }: ChangedWebhook, warnings: readonly string[]): Printed {
  const changed = `Changed webhook ${id}.`
  if (moved === undefined) return { json: { id, warnings }, text: changed }
  const { secret, removedHeaders } = moved
  const without = removedHeaders.length === 0 ? '' : ` Its headers were removed: ${removedHeaders.join(', ')}.`
  const text = `${secretOf({ id, secret })}\n\n${changed} It has another receiver, and so another secret.${without}`
  return { json: { id, secret, removedHeaders, warnings }, text }
}

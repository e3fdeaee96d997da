import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  type EventSource,
  expectedVersionSchema,
  jsonBody,
  type Operation,
  type OwnRefusal,
  Refusal,
  type Request,
  type Resource,
  type Services,
} from '../../kernel/index.ts'
import type { Outbound } from '../../kernel/outbound/index.ts'
import { isObject, type JsonObject, type JsonSchema, listSchema } from '../../kernel/schema/index.ts'
import { type Database, textsOf } from '../../kernel/sql/index.ts'
import { removeSetting } from '../remove-setting.ts'
import type { SettingAddress } from '../setting.ts'
import { listSettings, showSetting } from '../show-settings.ts'
import { createWebhook } from '../webhooks/create-webhook.ts'
import { rotateWebhook } from '../webhooks/rotate-webhook.ts'
import { pauseWebhook, resumeWebhook, setWebhook } from '../webhooks/set-webhook.ts'
import { type WebhookInput, webhook, webhookControls } from '../webhooks/webhook.ts'
import type { WebhookAdministration } from '../webhooks/webhook-administration.ts'
import { administrationBy, answerAdministration } from './answer-administration.ts'
import { controlsMeta, controlsMetaSchema } from './controls-meta.ts'
import { settingVersion, staleSetting } from './setting-body.ts'

/** What the administration of webhooks needs besides their settings: which events there are, and how deliveries stand. */
export interface WebhookParts {
  eventSources(): readonly EventSource[]
  stateOf(database: Database, organizationId: string, id: string, retentionSeconds: number): Promise<object | null>
  replaysOf(database: Database, organizationId: string, id: string): Promise<readonly object[]>
  latest(
    database: Database,
    asked: SettingAddress & { readonly isFailed: boolean; readonly most: number },
  ): Promise<readonly object[]>
  eventsToReplay(database: Database, address: SettingAddress, asked: AskedEventsAgain): Promise<EventsAgain>
  test(
    address: SettingAddress,
    parts: Pick<Services, 'database' | 'secret' | 'clock'> & { readonly outbound: Outbound },
  ): Promise<object>
  isTestFailure(error: unknown): boolean
  missingScopes(organizationId: string, id: string, services: Services): Promise<readonly string[]>
}

/** A place in the feed: its number, or a time in milliseconds. */
type Place = { readonly seq: number } | { readonly time: number }

/** Which events are to be sent again. */
export type AskedEventsAgain =
  | { readonly from: Place; readonly to?: Place | undefined }
  | { readonly failedSince: number }

/** These events, or why there are none. */
type EventsAgain =
  | { readonly why: string }
  | {
      readonly fromSeq: number
      readonly toSeq: number
      readonly only: readonly number[] | null
      readonly epoch: number
    }

export const webhooksPath = cabinetPath('/settings/webhooks')
export const commonOfWebhooks = {
  conventions: cabinetConventions,
  idempotent: false,
  scopes: ['webhooks_manage'],
} as const

const missingWebhook: OwnRefusal = ['not_found', 'There is no such webhook.']

/** The refusals of an operation on one webhook. */
export function refusesWebhook(when: string): OwnRefusal[] {
  return [missingWebhook, ['unprocessable', when]]
}

const headers: JsonSchema = {
  type: 'array',
  maxItems: 10,
  description: 'Headers of each delivery. Their values are not shown again.',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'value'],
    properties: { name: { type: 'string', maxLength: 100 }, value: { type: 'string', maxLength: 1000 } },
  },
}
const url: JsonSchema = { type: 'string', minLength: 1, maxLength: 2048, description: 'An https address.' }
const texts = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items: { type: 'string', maxLength: 200 },
  maxItems: 100,
  description,
  ...more,
})

const properties: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  kinds: texts('Of which events: `contact.*`, `deal.moved`, or `*`.', { minItems: 1 }),
  filter: {
    type: 'object',
    maxProperties: 20,
    additionalProperties: { type: 'array', items: { type: 'string', maxLength: 500 }, maxItems: 20 },
    description: 'Only records that these filters of their list find.',
  },
  changedFields: texts('Of updates only those that change one of these fields; all if there are none.'),
  body: { type: 'string', enum: ['thin', 'full'], description: 'Whether a delivery contains the record.' },
  tokenId: { type: ['string', 'null'], maxLength: 100, description: 'With whose rights; null: the only token.' },
  scopes: texts('The most rights it has; all of the token if there are none.'),
  despiteNetworks: {
    type: 'boolean',
    description: 'Whether the token may be one that is accepted from some networks.',
  },
  ownChanges: { type: 'string', enum: ['send', 'skip'], description: 'What to do with changes by the application.' },
  concurrency: { type: 'integer', minimum: 1, maximum: 50 },
}

/** The operations on the settings of webhooks. `settingKinds` are all kinds of settings. */
export function webhookSettingOperations(parts: WebhookParts, settingKinds: readonly Resource[]): readonly Operation[] {
  const optional = Object.keys(properties)
  return [
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.list',
      method: 'GET',
      path: webhooksPath,
      summary: 'List the webhooks of all applications',
      answer: { data: listSchema(webhookSchema('WebhookSetting', settingVersion)), meta: controlsMetaSchema },
      async execute({ caller }, services) {
        const { id: organizationId } = caller.organization
        const data: JsonObject[] = []
        for (const each of await listSettings(services.database, webhook, { organizationId }))
          data.push({ ...each, deliveries: await stateOf({ organizationId, id: String(each.id) }, services) })
        return { status: 200, data, meta: controlsMeta(webhookControls) }
      },
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.create',
      method: 'POST',
      path: webhooksPath,
      summary: 'Create a webhook, and show its secret once',
      needsFreshSignIn: true,
      success: [201],
      body: jsonBody(
        'WebhookCreate',
        { applicationId: { type: 'string', format: 'uuid' }, url, ...properties, headers },
        [...optional.filter(name => name !== 'name' && name !== 'kinds'), 'headers'],
      ),
      valueScopes: scopesIn,
      refuses: [
        ['not_found', 'There is no such application.'],
        ['unprocessable', 'A value is not possible, or there are as many webhooks as there may be.'],
      ],
      answer: { data: webhookSchema('CreatedWebhook', { ...settingVersion, secret: { type: 'string' } }) },
      execute: (request, services) =>
        answerWith(201, async () => {
          const { id: organizationId } = request.caller.organization
          const { applicationId } = isObject(request.body) ? request.body : {}
          const asked = { ...inputOf(request), organizationId, applicationId: String(applicationId) }
          const { id, secret } = await createWebhook(await administration(request, services), asked)
          return { ...(await shown({ organizationId, id }, services)), secret }
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.get',
      method: 'GET',
      path: `${webhooksPath}/{id}`,
      summary: 'Read a webhook, and how its deliveries and replays stand',
      refuses: [missingWebhook],
      answer: { data: webhookSchema('ShownWebhook', settingVersion) },
      execute: (request, services) =>
        answerWith(200, async () => {
          const address = addressOfWebhook(request)
          const replays = await parts.replaysOf(services.database, address.organizationId, address.id)
          return { ...(await shown(address, services)), replays }
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.update',
      method: 'PATCH',
      path: `${webhooksPath}/{id}`,
      summary: 'Change a webhook, but neither where it sends to nor its headers',
      body: jsonBody('WebhookUpdate', { expectedVersion: expectedVersionSchema, ...properties }, optional),
      valueScopes: scopesIn,
      refuses: [...refusesWebhook('A value is not possible.'), staleSetting],
      answer: { data: webhookSchema('ChangedWebhook', settingVersion) },
      execute: (request, services) =>
        answerWith(200, async () => {
          const address = addressOfWebhook(request)
          await setWebhook(await administration(request, services), { ...inputOf(request), ...address })
          return shown(address, services)
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.move',
      method: 'PUT',
      path: `${webhooksPath}/{id}/url`,
      summary: 'Change where a webhook sends to, or with which headers',
      description:
        'A receiver with another scheme, host or port gets another secret, which is shown once, and no header of the former one.',
      needsFreshSignIn: true,
      body: jsonBody('WebhookMove', { expectedVersion: expectedVersionSchema, url, headers }, ['headers']),
      refuses: [...refusesWebhook('The address may not be called, or a value is not possible.'), staleSetting],
      answer: {
        data: webhookSchema('MovedWebhook', {
          ...settingVersion,
          secret: { type: 'string', description: 'Absent if the secret stays.' },
          removedHeaders: { type: 'array', items: { type: 'string' } },
        }),
      },
      execute: (request, services) =>
        answerWith(200, async () => {
          const address = addressOfWebhook(request)
          const { moved } = await setWebhook(await administration(request, services), {
            ...inputOf(request),
            ...address,
          })
          return { ...(await shown(address, services)), ...moved }
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.delete',
      method: 'DELETE',
      path: `${webhooksPath}/{id}`,
      summary: 'Remove a webhook',
      refuses: [missingWebhook],
      answer: { data: webhookSchema('RemovedWebhook', { deleted: { type: 'boolean' } }) },
      execute: (request, services) =>
        answerWith(200, async () => {
          const kinds = [...services.resources, ...services.nestedResources, ...settingKinds]
          const address = { ...addressOfWebhook(request), kind: webhook }
          return { ...(await removeSetting(administrationBy(request, services), address, kinds)), deleted: true }
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.rotate',
      method: 'POST',
      path: `${webhooksPath}/{id}/rotate`,
      summary: 'Replace the secret of a webhook, and show the new one once',
      needsFreshSignIn: true,
      body: jsonBody('WebhookRotation', { overlapSeconds: { type: 'integer', minimum: 0, maximum: 604_800 } }, [
        'overlapSeconds',
      ]),
      refuses: refusesWebhook('A value is not possible.'),
      answer: {
        data: webhookSchema('RotatedWebhook', {
          secret: { type: 'string' },
          formerSecretUntil: { type: ['string', 'null'], format: 'date-time' },
        }),
      },
      execute: (request, services) =>
        answerWith(200, () => {
          const { overlapSeconds } = isObject(request.body) ? request.body : {}
          const overlap = overlapSeconds === undefined ? {} : { overlap: Number(overlapSeconds) * 1000 }
          return rotateWebhook(administrationBy(request, services), { ...addressOfWebhook(request), ...overlap })
        }),
    }),
    ...(['pause', 'resume'] as const).map(word =>
      defineOperation({
        ...commonOfWebhooks,
        id: `settings.webhooks.${word}`,
        method: 'POST',
        path: `${webhooksPath}/{id}/${word}`,
        summary: word === 'pause' ? 'Stop the deliveries of a webhook' : 'Continue the deliveries of a webhook',
        refuses: refusesWebhook('It has no secret.'),
        answer: { data: webhookSchema(word === 'pause' ? 'PausedWebhook' : 'ResumedWebhook') },
        execute: (request, services) =>
          answerWith(200, async () => {
            const address = addressOfWebhook(request)
            await (word === 'pause' ? pauseWebhook : resumeWebhook)(administrationBy(request, services), address)
            return shown(address, services)
          }),
      }),
    ),
  ]

  /** The webhook as it is now, with how its deliveries stand and the scopes that its filters lack. */
  async function shown(address: SettingAddress, services: Services): Promise<JsonObject> {
    const { organizationId, id } = address
    const { organizationId: _, ...record } = await showSetting(services.database, webhook, id, organizationId)
    const missingScopes = await parts.missingScopes(organizationId, id, services)
    return { ...record, deliveries: await stateOf(address, services), missingScopes }
  }

  function stateOf({ organizationId, id }: SettingAddress, { database, retention }: Services) {
    return parts.stateOf(database, organizationId, id, retention.changes)
  }

  async function administration(request: Request, services: Services): Promise<WebhookAdministration> {
    return {
      ...administrationBy(request, services),
      eventSources: parts.eventSources(),
      outbound: await outboundOf(services),
    }
  }
}

/** What calls the addresses of receivers. It is loaded when it is needed. */
export async function outboundOf({ outbound }: Pick<Services, 'outbound'>): Promise<Outbound> {
  const library = await import('../../kernel/outbound/index.ts')
  return new library.Outbound(outbound)
}

/** The result of work as an answer, or its refusal. */
export async function answerWith(status: number, work: () => Promise<object>) {
  const data = await answerAdministration(work)
  return data instanceof Refusal ? data : { status, data, meta: {} }
}

/** The webhook that the path of a request names. */
export function addressOfWebhook({ caller, path: { id = '' } }: Request): SettingAddress {
  return { organizationId: caller.organization.id, id }
}

/** The input of a webhook: filters and headers are stored as pairs. */
function inputOf({ body }: Request): WebhookInput {
  const { applicationId: _, filter, headers: given, ...rest } = isObject(body) ? body : {}
  const filters = isObject(filter) ? Object.entries(filter) : []
  return {
    ...rest,
    ...(filter === undefined
      ? {}
      : { filter: filters.flatMap(([name, values]) => textsOf(values).map(value => ({ name, value }))) }),
    ...(Array.isArray(given)
      ? { headers: given.filter(isObject).map(({ name, value }) => ({ name: String(name), value: String(value) })) }
      : {}),
  }
}

/** The scopes that a webhook would have. Nobody grants what they lack. */
function scopesIn(body: unknown): readonly string[] {
  return isObject(body) ? textsOf(body.scopes ?? []).filter(scope => scope !== 'all') : []
}

/** The schema of a webhook, with what an answer shows besides. */
export function webhookSchema(component: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return { component, type: 'object', required: ['id'], properties: { id: { type: 'string' }, ...more } }
}

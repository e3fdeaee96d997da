import {
  defineOperation,
  jsonBody,
  limitParameter,
  type Operation,
  type Request,
  type Services,
} from '../../kernel/index.ts'
import { booleanParameter } from '../../kernel/input/index.ts'
import { type Issue, isDateTime, isObject, type JsonSchema, listSchema } from '../../kernel/schema/index.ts'
import { AdministrationError } from '../administration-error.ts'
import { showSetting } from '../show-settings.ts'
import { cancelReplay, replayWebhook } from '../webhooks/replay-webhook.ts'
import { webhook } from '../webhooks/webhook.ts'
import { administrationBy } from './answer-administration.ts'
import {
  type AskedEventsAgain,
  addressOfWebhook,
  answerWith,
  commonOfWebhooks,
  outboundOf,
  refusesWebhook,
  type WebhookParts,
  webhookSchema,
  webhooksPath,
} from './webhook-operations.ts'

const place: JsonSchema = {
  type: ['integer', 'string'],
  minimum: 1,
  maxLength: 40,
  description: 'A number of the feed, or a time.',
}

const notShown = 'Null where the operator has allowed networks that are not public.'

/** Whether answers of receivers are shown: an organization must not read those of the operator's own network. */
function showsAnswers({ outbound }: Pick<Services, 'outbound'>): boolean {
  return outbound.allowedNetworks.length === 0
}

/** The operations on what webhooks have sent: the log, a test, and replays. */
export function webhookDeliveryOperations(parts: WebhookParts): readonly Operation[] {
  return [
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.deliveries',
      method: 'GET',
      path: `${webhooksPath}/{id}/deliveries`,
      summary: 'List the latest calls of the receiver of a webhook, the newest first',
      query: { limit: limitParameter(1000, 100), failed: booleanParameter('Only calls that failed.') },
      refuses: [['not_found', 'There is no such webhook.']],
      answer: { data: listSchema(deliverySchema) },
      execute: (request, services) =>
        answerWith(200, async () => {
          const { database } = services
          const address = addressOfWebhook(request)
          await expectWebhook(request, database)
          const { limit, failed } = request.query
          const asked = { ...address, isFailed: failed === true, most: Number(limit ?? 100) }
          const latest = await parts.latest(database, asked)
          return showsAnswers(services) ? latest : latest.map(each => ({ ...each, answer: null }))
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.test',
      method: 'POST',
      path: `${webhooksPath}/{id}/test`,
      summary: 'Send webhook.test to the receiver once, and show what it answers',
      refuses: refusesWebhook('The webhook has no secret, or the receiver does not answer.'),
      answer: {
        data: {
          component: 'TestedWebhook',
          type: 'object',
          required: ['status', 'milliseconds', 'answer', 'isCut'],
          properties: {
            status: { type: 'integer' },
            milliseconds: { type: 'number' },
            answer: { type: ['string', 'null'], description: notShown },
            isCut: { type: 'boolean' },
          },
        },
      },
      execute: (request, services) =>
        answerWith(200, async () => {
          const { database, secret, clock } = services
          await expectWebhook(request, database)
          const outbound = await outboundOf(services)
          const isShown = showsAnswers(services)
          const tested = await parts
            .test(addressOfWebhook(request), { database, secret, clock, outbound })
            .catch((error: unknown) => {
              throw parts.isTestFailure(error) && error instanceof Error
                ? new AdministrationError(isShown ? error.message : 'the receiver does not answer')
                : error
            })
          return isShown ? tested : { ...tested, answer: null }
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.replay',
      method: 'POST',
      path: `${webhooksPath}/{id}/replays`,
      summary: 'Send events again, while new ones go on',
      description:
        'Those from `from` to `to`, or with `failedSince` those that have failed since and were not delivered later.',
      success: [201],
      body: jsonBody('WebhookReplay', { from: place, to: place, failedSince: { type: 'string', maxLength: 40 } }, [
        'from',
        'to',
        'failedSince',
      ]),
      inspect: (_, body) => wrongPlaces(isObject(body) ? body : {}),
      refuses: refusesWebhook('There are no such events, or too many replays that have not ended.'),
      answer: {
        data: webhookSchema('BegunReplay', {
          from: { type: 'integer' },
          to: { type: 'integer' },
          events: { type: 'integer', description: 'The most events that it sends.' },
        }),
      },
      execute: (request, services) =>
        answerWith(201, async () => {
          const address = addressOfWebhook(request)
          await expectWebhook(request, services.database)
          const asked = askedIn(isObject(request.body) ? request.body : {})
          const events = await parts.eventsToReplay(services.database, address, asked)
          if ('why' in events) throw new AdministrationError(events.why)
          const { id } = await replayWebhook(administrationBy(request, services), address, events)
          const { fromSeq: from, toSeq: to, only } = events
          return { id, from, to, events: only?.length ?? to - from + 1 }
        }),
    }),
    defineOperation({
      ...commonOfWebhooks,
      id: 'settings.webhooks.cancelReplay',
      method: 'DELETE',
      path: `${webhooksPath}/{id}/replays/{replay}`,
      summary: 'End a replay',
      refuses: [
        ['not_found', 'There is no such webhook or replay.'],
        ['unprocessable', 'The replay has ended.'],
      ],
      answer: { data: webhookSchema('CanceledReplay') },
      execute: (request, services) =>
        answerWith(200, () =>
          cancelReplay(administrationBy(request, services), addressOfWebhook(request), request.path.replay ?? ''),
        ),
    }),
  ]
}

/** Throws an `AdministrationError` if the organization has no such webhook. */
async function expectWebhook(request: Request, database: Parameters<typeof showSetting>[0]): Promise<void> {
  const { organizationId, id } = addressOfWebhook(request)
  await showSetting(database, webhook, id, organizationId)
}

type Body = Readonly<Record<string, unknown>>

function wrongPlaces({ from, to, failedSince }: Body): readonly Issue[] {
  if ((from === undefined) === (failedSince === undefined))
    return [{ path: '/from', rule: 'required', message: 'either from or failedSince is given' }]
  if (to !== undefined && from === undefined)
    return [{ path: '/to', rule: 'required', message: 'an end needs a beginning' }]
  return Object.entries({ from, to, failedSince }).flatMap(([name, value]) =>
    typeof value === 'string' && !isDateTime(value)
      ? [{ path: `/${name}`, rule: 'format', message: 'is no time' }]
      : [],
  )
}

function askedIn({ from, to, failedSince }: Body): AskedEventsAgain {
  if (failedSince !== undefined) return { failedSince: Date.parse(String(failedSince)) }
  return { from: placeIn(from), to: to === undefined ? undefined : placeIn(to) }
}

function placeIn(value: unknown) {
  return typeof value === 'number' ? { seq: value } : { time: Date.parse(String(value)) }
}

const deliverySchema: JsonSchema = {
  component: 'WebhookDelivery',
  type: 'object',
  required: [
    'seq',
    'kind',
    'recordId',
    'outcome',
    'attempt',
    'status',
    'failure',
    'answer',
    'milliseconds',
    'replayId',
    'at',
  ],
  properties: {
    seq: { type: 'integer', description: 'The number of the event in the feed.' },
    kind: { type: ['string', 'null'] },
    recordId: { type: ['string', 'null'] },
    outcome: { type: 'string', enum: ['delivered', 'failed'] },
    attempt: { type: ['integer', 'null'] },
    status: { type: ['integer', 'null'] },
    failure: { type: ['string', 'null'], description: 'Why there was no answer, in one word.' },
    answer: { type: ['string', 'null'], description: `The beginning of a failed answer. ${notShown}` },
    milliseconds: { type: 'number' },
    replayId: { type: ['string', 'null'] },
    at: { type: 'string', format: 'date-time' },
  },
}

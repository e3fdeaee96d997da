import { isList, type Json, type JsonObject } from '../../records/record.ts'
import type { Text } from '../../words/index.ts'
import type { SettingField } from '../setting-field.tsx'
import { tidyValues } from '../setting-values.ts'

/** How the deliveries of a webhook stand. */
interface Deliveries {
  readonly state: 'active' | 'held' | 'paused'
  readonly reason: string | null
  readonly since: string | null
  readonly nextAttempt: string | null
  /** How many numbers of the feed it has before it; null when the feed has begun anew. */
  readonly behind: number | null
  readonly parkedEvents: number
}

/** A webhook as the settings show it. */
export interface Webhook {
  readonly id: string
  readonly version: number
  readonly applicationId: string
  readonly name: string
  readonly url: string
  readonly kinds: readonly string[]
  readonly filter: Readonly<Record<string, readonly string[]>>
  readonly changedFields: readonly string[]
  readonly body: string
  readonly tokenId: string | null
  readonly ownChanges: string
  readonly concurrency: number
  readonly headerNames: readonly string[]
  readonly deliveries: Deliveries
  readonly missingScopes?: readonly string[]
  readonly replays?: readonly Replay[]
}

/** Events that are sent again. */
export interface Replay {
  readonly id: string
  readonly state: 'active' | 'held' | 'paused' | 'ended'
  readonly from: number
  readonly to: number
  readonly delivered: number
  readonly failed: number
  readonly createdAt: string
}

/** One call of the receiver. */
export interface LoggedCall {
  readonly seq: number
  readonly kind: string | null
  readonly recordId: string | null
  readonly outcome: 'delivered' | 'failed'
  readonly attempt: number | null
  readonly status: number | null
  readonly failure: string | null
  readonly answer: string | null
  readonly milliseconds: number
  readonly replayId: string | null
  readonly at: string
}

/** A webhook whose secret the answer shows, as no other does. */
export interface WithSecret {
  readonly id: string
  readonly secret?: string
}

export const stateWords: Readonly<Record<Replay['state'], Text>> = {
  active: 'On',
  held: 'Held',
  paused: 'Paused',
  ended: 'Ended',
}

/** Why deliveries wait, in the words of the pages. */
export const reasonWords: Readonly<Record<string, Text>> = {
  command: 'It was paused here or by a command.',
  status: 'The receiver answers that it is down.',
  failures: 'The receiver has refused events of five records in a row.',
  timeout: 'The receiver does not answer within 15 s.',
  unreachable: 'The receiver cannot be reached.',
  forbidden: 'The server may not call this address.',
  too_many_parked: 'Too many events wait for another attempt.',
  gone: 'The receiver has answered 410: it wants no more events.',
  application_disabled: 'The application is disabled.',
  crm_provider: 'The records of the organization are with another provider.',
  several_tokens: 'The application has several valid tokens: choose one.',
  token_networks: 'The token is accepted from some networks only.',
  token_removed: 'The application has no token, or the token of the webhook was removed.',
  token_revoked: 'The token was revoked.',
  token_expired: 'The token has expired.',
  filter_scopes: 'The token lacks a scope that a filter needs.',
  secret_unreadable: 'The server cannot read the secret: rotate it.',
  unsupported: 'This version does not send what the webhook asks for.',
}

const headersField: SettingField = {
  name: 'headers',
  label: 'Headers',
  hint: 'One in each line, such as Authorization: Bearer x. Their values are not shown again.',
  widget: 'lines',
  isSecret: true,
}
const urlField: SettingField = {
  name: 'url',
  label: 'Address',
  hint: 'An https address.',
  widget: 'text',
  isRequired: true,
  max: 2048,
}

/** The fields of a webhook. */
export const webhookFields: readonly SettingField[] = [
  { name: 'applicationId', label: 'Application', widget: 'choice', isRequired: true, only: 'new' },
  { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
  { ...urlField, only: 'new' },
  {
    name: 'kinds',
    label: 'Events',
    hint: 'One in each line, such as contact.* or deal.moved; * for all.',
    widget: 'lines',
    isRequired: true,
  },
  {
    name: 'body',
    label: 'Body',
    widget: 'choice',
    choices: [
      { id: 'thin', name: 'What has changed' },
      { id: 'full', name: 'The whole record' },
    ],
  },
  {
    name: 'tokenId',
    label: 'With the rights of',
    hint: 'Needed if the application has several tokens.',
    widget: 'choice',
  },
  {
    name: 'filter',
    label: 'Only records with',
    hint: 'Filters of their list, one in each line, such as status=open.',
    widget: 'lines',
  },
  {
    name: 'changedFields',
    label: 'Only changes of',
    hint: 'Fields, one in each line. Of updates only those that change one of them.',
    widget: 'lines',
  },
  {
    name: 'ownChanges',
    label: 'Changes by the application itself',
    widget: 'choice',
    choices: [
      { id: 'send', name: 'Send' },
      { id: 'skip', name: 'Skip' },
    ],
  },
  { name: 'concurrency', label: 'Deliveries at once', widget: 'number' },
  { ...headersField, only: 'new' },
]

/** The fields of the form that sends a webhook elsewhere. */
export const moveFields: readonly SettingField[] = [urlField, headersField]

const newest = {
  name: '',
  url: '',
  kinds: [],
  body: 'thin',
  filter: [],
  changedFields: [],
  ownChanges: 'send',
} as const

/** What the form of a new webhook begins with. */
export const newWebhook: JsonObject = { ...newest, tokenId: '', headers: [] }

/** A webhook as its form shows it: filters in lines, and no token as an empty choice. */
export function valuesOfWebhook({ filter, tokenId, ...webhook }: Webhook): JsonObject {
  const { name, kinds, changedFields, body, ownChanges, concurrency } = webhook
  const lines = Object.entries(filter).flatMap(([key, values]) => values.map(value => `${key}=${value}`))
  return { name, kinds, filter: lines, changedFields, body, tokenId: tokenId ?? '', ownChanges, concurrency }
}

/** The values of the form as the server takes them. */
export function bodyOfWebhook(values: JsonObject): JsonObject {
  const { filter, headers, tokenId, ...rest } = values
  return {
    ...tidyValues(rest),
    ...(tokenId !== undefined && { tokenId: tokenId === '' ? null : tokenId }),
    ...(filter !== undefined && { filter: filterIn(linesIn(filter)) }),
    ...(headers !== undefined && { headers: linesIn(headers).map(headerIn) }),
  }
}

function linesIn(value: Json): readonly string[] {
  return isList(value) ? value.map(line => String(line).trim()).filter(line => line !== '') : []
}

function filterIn(lines: readonly string[]): JsonObject {
  const filter: Record<string, readonly string[]> = {}
  for (const [name, value] of lines.map(line => splitAt(line, '='))) filter[name] = [...(filter[name] ?? []), value]
  return filter
}

function headerIn(line: string): JsonObject {
  const [name, value] = splitAt(line, ':')
  return { name, value }
}

function splitAt(line: string, mark: string): readonly [string, string] {
  const at = line.indexOf(mark)
  return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

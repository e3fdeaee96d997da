import { isScope } from '../../kernel/auth/index.ts'
import { defineNested } from '../../kernel/index.ts'
import {
  computed,
  type Field,
  type FieldForm,
  type Fields,
  type JsonObject,
  secretText,
} from '../../kernel/schema/index.ts'
import { AdministrationError } from '../administration-error.ts'
import { application } from '../application.ts'
import { controlsOf } from '../controls.ts'
import { type InputOf, name, nullable, text, texts, word, yesOrNo } from '../fields.ts'
import { type Distinction, settleAmong } from '../setting.rules.ts'
import type { RemovableSetting } from '../setting.ts'
import type { FilterValues } from './asked-events.rules.ts'

/** For what is checked together with other values, before the change or with it. */
const anyText = { isValid: () => true, reason: () => '' }

const url: Field<string> = {
  ...text('', anyText, { option: 'url <url>', help: 'where to send: an https address' }),
  requiredOnCreate: true,
  tidy: value => (typeof value === 'string' ? value.trim() : value),
}

const kinds: Field<readonly string[]> = {
  ...texts(anyText, {
    option: 'kinds <kinds>',
    help: "of which events: a list such as 'contact.*,deal.moved', or '*'",
  }),
  input: { type: 'array', items: { type: 'string' }, minItems: 1 },
  requiredOnCreate: true,
  explain: () => 'a webhook is for at least one kind of events',
}

const concurrency: Field<number> = {
  column: 'integer',
  input: { type: 'integer', minimum: 1, maximum: 50 },
  form: { option: 'concurrency <n>', help: 'how many deliveries it takes at once', usual: '10' },
  initial: 10,
  explain: () => 'concurrency is a whole number from 1 to 50',
}

/** The fields that people fill in. Filters and headers are entered one by one, and stored together. */
const entered = {
  name: name('the name of a webhook', { help: 'unique in the application' }),
  url,
  kinds,
  filter: pairs({
    option: 'filter <key=value...>',
    help: 'only records that this filter of their list finds; once for each value',
    none: 'all records',
    item: filterIn,
  }),
  changedFields: texts(anyText, {
    option: 'changed-fields <fields>',
    help: 'of updates only those that change one of these fields',
    none: 'all updates',
  }),
  body: word('the body', ['thin', 'full'], 'thin', { help: 'whether it contains the record' }),
  tokenId: {
    ...nullable(text('', anyText, {})),
    form: {
      option: 'token <id>',
      help: 'with whose rights; needed if the application has several tokens',
      none: 'with the rights of the only token of the application',
    },
  },
  scopes: texts(
    { isValid: isScope, reason: scope => `no such scope: ${scope}` },
    { option: 'scopes <scopes>', help: 'the most rights it has', usual: 'all of the token', none: 'all of the token' },
  ),
  despiteNetworks: yesOrNo(false, {
    yes: { option: 'despite-networks', help: 'use the token although it is accepted from some networks only' },
    no: { option: 'no-despite-networks', help: 'use no such token' },
  }),
  ownChanges: word('own changes', ['send', 'skip'], 'send', {
    option: 'own-changes <what>',
    help: 'what to do with changes by the application itself',
  }),
  concurrency,
  headers: pairs({
    option: 'header <name:value...>',
    help: 'a header of each delivery, 10 at most; values are not shown again',
    none: 'no headers of its own',
    item: headerIn,
  }),
}

/** The input of a webhook. */
export type WebhookInput = InputOf<typeof entered>

export const webhookControls = controlsOf(entered)

const fields: Fields = {
  ...entered,
  filter: {
    ...computed<FilterValues>({}, { column: 'jsonb', schema: { type: 'object' } }),
    input: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  },
  headers: secretText({ most: 25_000, description: 'Its headers as JSON.', example: '[]' }),
  headerNames: computed<readonly string[]>([], { column: 'text[]', schema: { type: 'array' } }),
  headersUpdatedAt: moment(),
  secret: secretText({ most: 100, description: 'What deliveries are signed with.', example: 'whsec_c2VjcmV0' }),
  secretUpdatedAt: moment(),
  formerSecret: formerSecret(),
  formerSecretUntil: moment(),
  enabled: computed(true, { column: 'boolean', schema: { type: 'boolean' } }),
  resumedAt: moment(),
  fromSeq: inFeed('from_seq'),
  fromEpoch: inFeed('from_epoch'),
}

/** Among the webhooks of its application: only these are loaded. */
const distinction: Distinction = {
  unique: { name: ({ name }) => `another webhook of the application is named ${String(name)}` },
}

/** Where an application wants to be told of events in the change feed, and of which. */
const record = defineNested({
  kind: 'webhook',
  plural: 'webhooks',
  title: 'Webhook',
  table: 'webhook_subscriptions',
  parent: application,
  parentMember: 'applicationId',
  part: 'webhooks',
  most: null,
  order: { field: 'createdAt', direction: 'asc' },
  fields,
  rules: { settle: (next, context) => settleAmong(distinction, next, context) },
})

/** Its secret is generated and shown once, so its operations are not derived from the declaration. */
export const webhook: RemovableSetting = Object.assign(record, { removal: {} })

type Pair = { readonly name: string; readonly value: string }

function pairs(form: FieldForm & Required<Pick<FieldForm, 'item'>>): Field<readonly Pair[] | null> {
  return { initial: [], form }
}

/** `ownerUuid=…` */
function filterIn(text: string): JsonObject {
  return pairIn(text, '=', `"${text}" is no filter: write one such as status=open`)
}

/** `Authorization: Bearer …`. The message does not quote it, because it may contain a secret. */
function headerIn(text: string): JsonObject {
  return pairIn(text, ':', 'a header is written as "Name: value"')
}

function pairIn(text: string, between: string, message: string): JsonObject {
  const at = text.indexOf(between)
  if (at <= 0) throw new AdministrationError(message)
  return { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
}

function moment(): Field<string | null> {
  return computed<string | null>(null, {
    column: 'timestamptz',
    schema: { type: ['string', 'null'], format: 'date-time' },
  })
}

/** The secret before the current one, which it replaces as it is stored. */
function formerSecret(): Field<string | null> {
  return { column: 'text', output: {}, initial: null, isSecret: true }
}

/** A place in the change feed: deliveries begin behind it. */
function inFeed(column: string): Field<number> {
  return { ...computed(0, { column: 'bigint', schema: { type: 'integer' } }), select: `t.${column}::double precision` }
}

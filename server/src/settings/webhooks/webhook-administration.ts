import { randomBytes } from 'node:crypto'
import type { EventSource, RecordState, Refusal, SettingsDraft } from '../../kernel/index.ts'
import type { Outbound } from '../../kernel/outbound/index.ts'
import { isObject, violates } from '../../kernel/schema/index.ts'
import type { Administration } from '../administer.ts'
import { AdministrationError } from '../administration-error.ts'
import { token } from '../token.ts'
import { grantedScopes } from '../tokens.ts'
import { type FilterValues, wrongEvents } from './asked-events.rules.ts'
import { whyNoToken } from './named-token.rules.ts'
import { type OwnHeader, wrongOwnHeaders } from './own-headers.rules.ts'
import { wrongReceiver } from './url.rules.ts'
import type { WebhookInput } from './webhook.ts'

/** What a change of webhooks needs besides: which events there are, and which addresses may be called. */
export interface WebhookAdministration extends Administration {
  readonly eventSources: readonly EventSource[]
  readonly outbound: Pick<Outbound, 'whyForbidden'>
}

/** A new secret, in the form of Standard Webhooks. */
export function drawSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/**
 * The input in the form of the stored fields. Throws an `AdministrationError` for an address that cannot be called, for headers that cannot
 * be sent, and for unknown scopes.
 */
export function checkedInput(
  { filter, headers, scopes, ...input }: WebhookInput,
  { grantableScopes, outbound }: WebhookAdministration,
) {
  if (input.url !== undefined) expectReceiver(input.url.trim(), outbound)
  return {
    ...input,
    ...(filter === undefined ? {} : { filter: byName(filter ?? []) }),
    ...(headers === undefined ? {} : { headers: headersText(headers ?? []) }),
    ...(scopes === undefined ? {} : { scopes: scopes.includes('all') ? [] : grantedScopes(scopes, grantableScopes) }),
  }
}

function expectReceiver(url: string, outbound: WebhookAdministration['outbound']): void {
  const wrong = wrongReceiver(url) ?? outbound.whyForbidden(new URL(url))
  if (wrong !== null) throw new AdministrationError(wrong)
}

function byName(pairs: readonly OwnHeader[]): FilterValues {
  const valuesNamed = (name: string) => pairs.flatMap(pair => (pair.name === name ? [pair.value] : []))
  return Object.fromEntries(pairs.map(({ name }) => [name, valuesNamed(name)]))
}

/** The headers as they are encrypted; null if there are none. */
function headersText(headers: readonly OwnHeader[]): string | null {
  const wrong = wrongOwnHeaders(headers)
  if (wrong !== null) throw new AdministrationError(wrong)
  return headers.length === 0 ? null : JSON.stringify(headers.map(({ name, value }) => ({ name, value })))
}

/** The facts about headers that were given, or dropped with null; none without either. */
export function factsOfHeaders(headers: readonly OwnHeader[] | null | undefined, now: string) {
  if (headers === undefined) return {}
  const names = (headers ?? []).map(({ name }) => name)
  return { headerNames: names, headersUpdatedAt: names.length === 0 ? null : now }
}

/** Why the events of a webhook cannot be asked for; null if they can. */
export function refuseEvents(webhook: RecordState, sources: readonly EventSource[]): Refusal | null {
  const { kinds, filter, changedFields } = webhook
  const asked = { kinds: storedTexts(kinds), filter: valuesOf(filter), changedFields: storedTexts(changedFields) }
  const wrong = wrongEvents(asked, sources)
  return wrong === null ? null : violates('/kinds', 'events', wrong)
}

/** Why a webhook cannot stand for a token of its application, whose tokens are loaded; null if it can. */
export function refuseToken(webhook: RecordState, draft: SettingsDraft): Refusal | null {
  const { applicationId, tokenId, despiteNetworks } = webhook
  const asked = { tokenId: typeof tokenId === 'string' ? tokenId : null, despiteNetworks: despiteNetworks === true }
  const why = whyNoToken(draft.all(token, String(applicationId)), asked, draft.write.now)
  return why === null ? null : violates('/tokenId', 'token', why)
}

/** The texts of a stored list. */
export function storedTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function valuesOf(value: unknown): FilterValues {
  const entries = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.map(([name, values]) => [name, storedTexts(values)]))
}

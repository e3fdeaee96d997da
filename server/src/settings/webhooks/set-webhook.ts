import { type RecordState, Refusal, type SettingsChange } from '../../kernel/index.ts'
import { violates } from '../../kernel/schema/index.ts'
import { type Administration, administer } from '../administer.ts'
import { missing } from '../administration-error.ts'
import type { Named, SettingAddress, VersionedAddress } from '../setting.ts'
import { token } from '../token.ts'
import { isSameReceiver } from './url.rules.ts'
import { type WebhookInput, webhook } from './webhook.ts'
import {
  checkedInput,
  drawSecret,
  factsOfHeaders,
  refuseEvents,
  refuseToken,
  storedTexts,
  type WebhookAdministration,
} from './webhook-administration.ts'

/** A changed webhook. */
export interface ChangedWebhook extends Named {
  /** What only another receiver than before brings: its secret, shown only once, and the names of the headers that were removed. */
  readonly moved?: { readonly secret: string; readonly removedHeaders: readonly string[] }
}

/**
 * Changes a webhook. A receiver with another scheme, host or port gets another secret, and no header of the former one: a user who
 * may change the address must not be able to send them elsewhere. Throws an `AdministrationError` for an unknown webhook, an invalid value,
 * and a token that the webhook cannot stand for.
 */
export async function setWebhook(
  administration: WebhookAdministration,
  { organizationId, id, expectedVersion, ...given }: VersionedAddress & WebhookInput,
): Promise<ChangedWebhook> {
  const input = checkedInput(given, administration)
  const drawn = drawSecret()
  return administer(administration, organizationId, {
    needs: needWebhook(id),
    decide(draft) {
      const before = draft.record(webhook, id)
      if (before === null) return missing('webhook', id)
      const { now } = draft.write
      const isMoved = input.url !== undefined && !isSameReceiver(String(before.url), input.url)
      const secret = isMoved ? { secret: drawn } : {}
      const facts = { ...(isMoved ? freshFacts(now) : {}), ...factsOfHeaders(given.headers, now) }
      const changed = draft.alter(webhook, before, { expectedVersion, ...input, ...secret }, facts)
      if (changed instanceof Refusal) return changed
      const refusal =
        (asksOtherEvents(given) ? refuseEvents(changed, administration.eventSources) : null) ??
        (given.tokenId === undefined && given.despiteNetworks === undefined ? null : refuseToken(changed, draft))
      if (refusal !== null) return refusal
      if (!isMoved) return { id }
      const removedHeaders = given.headers === undefined ? storedTexts(before.headerNames) : []
      return { id, moved: { secret: drawn, removedHeaders } }
    },
  })
}

/** What a webhook with a new receiver has, whatever it had. */
function freshFacts(now: string) {
  return {
    secretUpdatedAt: now,
    formerSecret: null,
    formerSecretUntil: null,
    headers: null,
    headerNames: [],
    headersUpdatedAt: null,
  }
}

function asksOtherEvents({ kinds, filter, changedFields }: WebhookInput): boolean {
  return kinds !== undefined || filter !== undefined || changedFields !== undefined
}

/** Loads a webhook, those that it is compared with, and the tokens of its application. */
export const needWebhook =
  (id: string): NonNullable<SettingsChange<unknown>['needs']> =>
  (needs, work) => {
    needs.toLoadNested(webhook, id)
    const loaded = work.record(webhook.kind, id)
    if (loaded === null) return
    needs.toLoadNestedIn(webhook, String(loaded.applicationId))
    needs.toLoadNestedIn(token, String(loaded.applicationId))
  }

/** Stops the deliveries of a webhook until it is resumed. Throws an `AdministrationError` for an unknown one. */
export async function pauseWebhook(administration: Administration, address: SettingAddress): Promise<Named> {
  return turn(administration, address, () => ({ enabled: false }))
}

/**
 * Lets deliveries continue after a pause by a command or by the server. Throws an `AdministrationError` for an unknown webhook, and for one
 * without a secret, which came with the file of an organization.
 */
export async function resumeWebhook(administration: Administration, address: SettingAddress): Promise<Named> {
  return turn(administration, address, ({ secret }, now) => {
    if (secret === null) return violates('', 'secret', 'the webhook has no secret: rotate it first')
    return { enabled: true, resumedAt: now }
  })
}

async function turn(
  administration: Administration,
  { organizationId, id }: SettingAddress,
  factsOf: (webhook: RecordState, now: string) => Readonly<Record<string, unknown>> | Refusal,
): Promise<Named> {
  return administer(administration, organizationId, {
    needs: needWebhook(id),
    decide(draft) {
      const before = draft.record(webhook, id)
      if (before === null) return missing('webhook', id)
      const facts = factsOf(before, draft.write.now)
      const changed = facts instanceof Refusal ? facts : draft.alter(webhook, before, {}, facts)
      return changed instanceof Refusal ? changed : { id }
    },
  })
}

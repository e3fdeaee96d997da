import { bounds, Lookup, Refusal } from '../../kernel/index.ts'
import { violates } from '../../kernel/schema/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { administer } from '../administer.ts'
import { missing } from '../administration-error.ts'
import { application } from '../application.ts'
import { idNamed } from '../organization-of.ts'
import type { Named, OfOrganization } from '../setting.ts'
import { token } from '../token.ts'
import { type WebhookInput, webhook } from './webhook.ts'
import {
  checkedInput,
  drawSecret,
  factsOfHeaders,
  refuseEvents,
  refuseToken,
  type WebhookAdministration,
} from './webhook-administration.ts'

/** A new webhook with its secret, which is shown only once. */
export interface CreatedWebhook extends Named {
  readonly secret: string
}

const countedWebhooks = Lookup.row(
  claimedStatement(
    'count_webhooks',
    'select count(*)::integer as count from webhook_subscriptions t where t.organization_id = $1',
  ),
  [],
)

const headOfFeed = Lookup.row(
  claimedStatement(
    'read_head_of_feed',
    `select f.seq::double precision as seq, (i.epoch + f.epoch)::double precision as epoch
       from organization_feed f
      cross join installation i
      where f.organization_id = $1`,
  ),
  [],
)

/**
 * Creates a webhook of an application, which is told of events from now on. Throws an `AdministrationError` for an unknown application, an
 * invalid value, a token that the webhook cannot stand for, and in an organization that has 20 already.
 */
export async function createWebhook(
  administration: WebhookAdministration,
  { organizationId, applicationId, ...given }: OfOrganization & { readonly applicationId: string } & WebhookInput,
): Promise<CreatedWebhook> {
  const id = await idNamed(administration.database, application, applicationId, organizationId)
  const input = checkedInput(given, administration)
  const secret = drawSecret()
  return administer(administration, organizationId, {
    needs(needs) {
      needs.toLoadNested(application, id)
      needs.toLoadNestedIn(webhook, id)
      needs.toLoadNestedIn(token, id)
      needs.toLoad(countedWebhooks, headOfFeed)
    },
    decide(draft) {
      const owner = draft.record(application, id)
      if (owner === null) return missing('application', applicationId)
      const { most } = bounds.webhooks
      if (Number(draft.read(countedWebhooks)?.count) >= most)
        return violates('', 'most', `an organization has at most ${most} webhooks`)
      const head = draft.read(headOfFeed)
      const facts = {
        secretUpdatedAt: draft.write.now,
        fromSeq: Number(head?.seq ?? 0),
        fromEpoch: Number(head?.epoch ?? 0),
        ...factsOfHeaders(given.headers, draft.write.now),
      }
      const added = draft.add(webhook, { ...input, secret }, facts, owner)
      if (added instanceof Refusal) return added
      return refuseEvents(added, administration.eventSources) ?? refuseToken(added, draft) ?? { id: added.id, secret }
    },
  })
}

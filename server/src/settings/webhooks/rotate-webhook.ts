import { Refusal } from '../../kernel/index.ts'
import { type Administration, administer } from '../administer.ts'
import { AdministrationError, missing } from '../administration-error.ts'
import type { Named, SettingAddress } from '../setting.ts'
import { timeAfter } from '../tokens.ts'
import { needWebhook } from './set-webhook.ts'
import { webhook } from './webhook.ts'
import { drawSecret } from './webhook-administration.ts'

/** A webhook with its new secret, which is shown only once. */
export interface RotatedWebhook extends Named {
  readonly secret: string
  /** Until when deliveries are signed with the former secret as well; null if they are not. */
  readonly formerSecretUntil: string | null
}

const day = 86_400_000
const longestOverlap = 7 * day

/**
 * Replaces the secret of a webhook. Deliveries are signed with the former one as well for `overlap` milliseconds: a day by default, and at
 * most seven. Throws an `AdministrationError` for an unknown webhook.
 */
export async function rotateWebhook(
  administration: Administration,
  { organizationId, id, overlap = day }: SettingAddress & { readonly overlap?: number | undefined },
): Promise<RotatedWebhook> {
  if (overlap < 0 || overlap > longestOverlap) throw new AdministrationError('an overlap is 7d at most')
  const secret = drawSecret()
  return administer(administration, organizationId, {
    needs: needWebhook(id),
    decide(draft) {
      const before = draft.record(webhook, id)
      if (before === null) return missing('webhook', id)
      const overlaps = overlap > 0 && before.secret !== null
      const formerSecretUntil = overlaps ? timeAfter(draft, overlap) : null
      const facts = {
        secretUpdatedAt: draft.write.now,
        formerSecret: overlaps ? before.secret : null,
        formerSecretUntil,
      }
      const changed = draft.alter(webhook, before, { secret }, facts)
      return changed instanceof Refusal ? changed : { id, secret, formerSecretUntil }
    },
  })
}

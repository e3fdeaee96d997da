import { bounds, Lookup } from '../../kernel/index.ts'
import { newId, violates } from '../../kernel/schema/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { actionRow, defineTable, type RowChange } from '../../kernel/write/index.ts'
import { type Administration, administer } from '../administer.ts'
import { missing } from '../administration-error.ts'
import type { Named, SettingAddress } from '../setting.ts'
import { webhook } from './webhook.ts'

/** The events that are sent again: those of a range of the feed with this epoch, or `only` these of it. */
interface ReplayedEvents {
  readonly fromSeq: number
  readonly toSeq: number
  readonly only: readonly number[] | null
  readonly epoch: number
}

const webhookReplays = defineTable('webhook_replays', ['id'], {
  id: 'uuid',
  subscription_id: 'uuid',
  created_at: 'timestamptz',
  changed_at: 'timestamptz',
  from_seq: 'bigint',
  to_seq: 'bigint',
  only_seqs: 'bigint[]',
  epoch: 'bigint',
  settled_seq: 'bigint',
})

const countOpenReplays = claimedStatement(
  'count_open_webhook_replays',
  `select count(*)::integer as count
     from webhook_replays t
    where t.organization_id = $1 and t.subscription_id = $2 and t.state <> 'ended'`,
)

/**
 * Begins a replay of events to a webhook, which a worker sends while the webhook is active; the audit log shows it. Throws an `AdministrationError` for an unknown webhook, for one without a
 * secret, and if five of its replays have not ended.
 */
export async function replayWebhook(
  administration: Administration,
  { organizationId, id }: SettingAddress,
  events: ReplayedEvents,
): Promise<Named> {
  const open = Lookup.row(countOpenReplays, [id])
  const replayId = newId()
  return administer(administration, organizationId, {
    needs(needs) {
      needs.toLoadNested(webhook, id)
      needs.toLoad(open)
    },
    decide(draft) {
      const replayed = draft.record(webhook, id)
      if (replayed === null) return missing('webhook', id)
      if (replayed.secret === null) return violates('', 'secret', 'the webhook has no secret: rotate it first')
      const { most } = bounds.webhookReplays
      if (Number(draft.read(open)?.count) >= most)
        return violates('', 'most', `a webhook has at most ${most} replays that have not ended: see webhook show`)
      draft.writeBeside(rowOf(replayId, id, events, draft.write.now))
      const { fromSeq, toSeq, only } = events
      const after = { id: replayId, fromSeq, toSeq, ...(only === null ? {} : { events: only.length }) }
      const noted = { resourceType: webhook.kind, resourceId: id, action: 'webhook.replayed', version: null }
      draft.writeBeside(actionRow({ ...noted, changes: [{ field: 'replay', before: null, after }] }, draft.write))
      return { id: replayId }
    },
  })
}

function rowOf(id: string, webhookId: string, { fromSeq, toSeq, only, epoch }: ReplayedEvents, now: string): RowChange {
  const row = {
    id,
    subscription_id: webhookId,
    created_at: now,
    changed_at: now,
    from_seq: fromSeq,
    to_seq: toSeq,
    only_seqs: only,
    epoch,
    settled_seq: fromSeq - 1,
  }
  return { table: webhookReplays, operation: 'insert', row }
}

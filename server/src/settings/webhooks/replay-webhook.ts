import { bounds, Lookup } from '../../kernel/index.ts'
import { type JsonObject, newId, violates } from '../../kernel/schema/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { actionRow, defineTable, type RowChange } from '../../kernel/write/index.ts'
import { type Administration, administer } from '../administer.ts'
import { missing } from '../administration-error.ts'
import type { Named, SettingAddress } from '../setting.ts'
import { uuidOf } from '../values.ts'
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
  state: 'text',
  reason: 'text',
  resume_at: 'timestamptz',
})

const countOpenReplays = claimedStatement(
  'count_open_webhook_replays',
  `select count(*)::integer as count
     from webhook_replays t
    where t.organization_id = $1 and t.subscription_id = $2 and t.state <> 'ended'`,
)

/** $1 organization, $2 webhook, $3 replay. Its lock keeps the worker that sends it from settling before the commit; later it cannot. */
const lockReplay = claimedStatement(
  'lock_webhook_replay',
  `select t.id, t.state
     from webhook_replays t
    where t.organization_id = $1 and t.subscription_id = $2 and t.id = $3 for no key update`,
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
      draft.writeBeside(actionRow(notedOf('webhook.replayed', id, { before: null, after }), draft.write))
      return { id: replayId }
    },
  })
}

/**
 * Ends a replay of a webhook that has not ended; the audit log shows it. The worker that sends it begins no more calls after its next look.
 * Throws an `AdministrationError` for an unknown webhook or replay, and for a replay that has ended.
 */
export async function cancelReplay(
  administration: Administration,
  { organizationId, id }: SettingAddress,
  replay: string,
): Promise<Named> {
  const replayId = uuidOf('replay', replay)
  const locked = Lookup.row(lockReplay, [id, replayId])
  return administer(administration, organizationId, {
    needs(needs) {
      needs.toLoadNested(webhook, id)
      needs.toLoad(locked)
    },
    decide(draft) {
      if (draft.record(webhook, id) === null) return missing('webhook', id)
      const found = draft.read(locked)
      if (found === null) return missing('replay', replayId)
      if (found.state === 'ended') return violates('', 'state', 'the replay has ended already: see webhook show')
      const ended = { id: replayId, state: 'ended', reason: 'canceled', resume_at: null, changed_at: draft.write.now }
      draft.writeBeside({ table: webhookReplays, operation: 'update', row: ended })
      draft.writeBeside(
        actionRow(notedOf('webhook.replay_canceled', id, { before: { id: replayId }, after: null }), draft.write),
      )
      return { id: replayId }
    },
  })
}

/** An audit entry about a replay of a webhook. */
function notedOf(
  action: string,
  webhookId: string,
  change: { readonly before: JsonObject | null; readonly after: JsonObject | null },
) {
  return {
    resourceType: webhook.kind,
    resourceId: webhookId,
    action,
    version: null,
    changes: [{ field: 'replay', ...change }],
  }
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

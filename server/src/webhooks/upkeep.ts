import { defineUpkeep, inPortions, organizationsWith } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { dropLateAnswers } from './erase-from-answers.ts'

const portion = 1000
const keptMilliseconds = 30 * 24 * 60 * 60 * 1000

/** $1 organization, $2 time, $3 the most rows. The rows of each webhook are read in the order of their key, so that only old ones are. */
const removeOld = (table: 'webhook_runs' | 'webhook_failures', key: string) =>
  statement(
    `remove_old_${table}`,
    `delete from ${table} t
      using (select o.subscription_id, o.at, o.${key}
               from webhook_positions p
              cross join lateral (
                select r.subscription_id, r.at, r.${key} from ${table} r
                 where r.organization_id = $1 and r.subscription_id = p.subscription_id and r.at < $2::timestamptz
                 order by r.at limit $3) as o
              where p.organization_id = $1 limit $3) as old
      where t.organization_id = $1 and t.subscription_id = old.subscription_id and t.at = old.at and t.${key} = old.${key}
     returning 1`,
  )

/** $1 organization, $2 time, $3 the most rows. */
const removeOldReplays = statement(
  'remove_old_webhook_replays',
  `delete from webhook_replays t
    using (select y.id from webhook_replays y
            where y.organization_id = $1 and y.state = 'ended' and y.changed_at < $2::timestamptz limit $3) as old
    where t.organization_id = $1 and t.id = old.id
   returning 1`,
)

const removals = {
  webhookRuns: removeOld('webhook_runs', 'from_seq'),
  webhookFailures: removeOld('webhook_failures', 'seq'),
  webhookReplays: removeOldReplays,
}

const organizationsWithPositions = organizationsWith('webhook_positions')

/** Removes what is known of deliveries and replays 30 days after their end. Everything of a webhook is removed with it. */
export const removeOldDeliveries = defineUpkeep({
  name: 'deliveries of webhooks',
  async run({ database, clock }, signal) {
    const removed = { webhookRuns: 0, webhookFailures: 0, webhookAnswers: 0, webhookReplays: 0 }
    const before = new Date(clock.now() - keptMilliseconds).toISOString()
    for await (const id of organizationsWithPositions(database, signal)) {
      for (const name of ['webhookRuns', 'webhookFailures', 'webhookReplays'] as const)
        removed[name] += await inPortions(portion, signal, async () => {
          return (await database.query(removals[name], [id, before, portion])).length
        })
      // Answers to calls that were under way when their person was erased.
      removed.webhookAnswers += (await database.query(dropLateAnswers, [id])).length
    }
    return { removed }
  },
})

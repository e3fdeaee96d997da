import { sessionTimes } from '../kernel/auth/index.ts'
import { defineUpkeep, inPortions } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'

const portion = 1000
const day = 86_400_000

/** How long what happened to accounts is kept, in milliseconds. */
const keptEvents = 90 * day
/** How long a used or expired link still says that it was one, and an attempt to sign in counts. */
const keptAfterEnd = 7 * day
const keptFailures = day

/** $1 time, $2 the most rows. */
const removals = {
  accountEvents: statement(
    'remove_old_account_events',
    `delete from account_events e
      where e.id in (select o.id from account_events o where o.occurred_at < $1 order by o.occurred_at limit $2)
     returning 1`,
  ),
  links: statement(
    'remove_old_user_links',
    `delete from user_links l
      where l.secret_hash in (
        select o.secret_hash from user_links o where coalesce(o.used_at, o.expires_at) < $1 limit $2)
     returning 1`,
  ),
  signInFailures: statement(
    'remove_old_sign_in_failures',
    `delete from sign_in_failures f
      where (f.account_hash, f.origin) in (
        select o.account_hash, o.origin from sign_in_failures o
         where o.last_failed_at < $1 and o.next_attempt_at < $1 limit $2)
     returning 1`,
  ),
}

/** $1 now, $2 the latest use of a session that has ended by idling, $3 the most rows. */
const removeEndedSessions = statement(
  'remove_ended_sessions',
  `delete from sessions s
    where s.id in (select o.id from sessions o where o.expires_at < $1 or o.seen_at < $2 limit $3)
   returning 1`,
)

/**
 * Removes entries of the log of accounts after 90 days, links a week after their end, and sessions and failed attempts that no longer count.
 */
export const removeOldAccountRows = defineUpkeep({
  name: 'accounts',
  async run({ database, clock }, signal) {
    const now = clock.now()
    const before = { accountEvents: now - keptEvents, links: now - keptAfterEnd, signInFailures: now - keptFailures }
    const removed = { accountEvents: 0, links: 0, signInFailures: 0, sessions: 0 }
    for (const name of ['accountEvents', 'links', 'signInFailures'] as const) {
      const time = new Date(before[name]).toISOString()
      removed[name] = await inPortions(portion, signal, async () => {
        return (await database.query(removals[name], [time, portion])).length
      })
    }
    const [ended, unused] = [now, now - sessionTimes.idle].map(time => new Date(time).toISOString())
    removed.sessions = await inPortions(portion, signal, async () => {
      return (await database.query(removeEndedSessions, [ended, unused, portion])).length
    })
    return { removed }
  },
})

import { addressBucket } from '../../kernel/auth/index.ts'
import { type Refusal, rateWindowSeconds, refuse, type Services } from '../../kernel/index.ts'
import { statement, type Transaction } from '../../kernel/sql/index.ts'

const minute = 60_000
const hour = 60 * minute

/** How often mail is sent to one person, and for one organization: so that nobody is flooded. */
export const mailLimits = {
  person: { perHour: 5, pause: minute },
  organization: { perHour: 100, pause: 0 },
} as const

/** How many links a network address may ask for in a minute. */
const askedPerMinute = 10

/**
 * $1 slot, $2 now, $3 the most in an hour, $4 the latest time before the pause, $5 an hour ago. No row: it was too often. The times are
 * given, because a cluster refuses an upsert that subtracts an interval from one.
 */
const countMail = statement(
  'count_mail',
  `insert into mail_counts as c (slot, hour_began, asked, asked_at)
   values ($1, $2, 1, $2)
       on conflict (slot) do update
      set asked = case when c.hour_began <= $5 then 1 else c.asked + 1 end,
          hour_began = case when c.hour_began <= $5 then $2::timestamptz else c.hour_began end,
          asked_at = $2
    where c.asked_at <= $4 and (c.asked < $3::integer or c.hour_began <= $5)
   returning 1`,
)

/** Counts a mail for a person or an organization, which the text names; false if it would be one too many. */
export async function admitMail(
  counted: string,
  { perHour, pause }: (typeof mailLimits)[keyof typeof mailLimits],
  { secret, clock }: Pick<Services, 'secret' | 'clock'>,
  transaction: Transaction,
): Promise<boolean> {
  const [now, beforePause, hourAgo] = [0, pause, hour].map(back => new Date(clock.now() - back).toISOString())
  const values = [secret.slot(counted), now, perHour, beforePause, hourAgo]
  return (await transaction.query(countMail, values)).length > 0
}

/** Refuses a network address (429) that asks for links too often. */
export async function refuseAsker(address: string, { counters }: Pick<Services, 'counters'>): Promise<Refusal | null> {
  const asked = await counters.add(`asked-links:${addressBucket(address)}`)
  if (asked === null || asked <= askedPerMinute) return null
  const details = { bucket: 'asked_links', limit: askedPerMinute, windowSeconds: rateWindowSeconds }
  return refuse('rate_limit_exceeded', { ...details, retryAfterSeconds: counters.secondsLeft() })
}

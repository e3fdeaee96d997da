import type { AddressClass } from '../kernel/auth/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { type Row, type Statement, statement } from '../kernel/sql/index.ts'

/** What happens to accounts, in their own log: it tells who signed in, and what was tried. */
export type AccountEventName =
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'password_changed'
  | 'password_reset'
  | 'second_factor_added'
  | 'recovery_code_used'
  | 'link_used'
  | 'user_created'
  | 'user_changed'
  | 'user_removed'
  | 'sessions_ended'
  | 'link_created'
  | 'member_invited'
  | 'invitation_canceled'
  | 'mail_sent'
  | 'mail_refused'

export interface AccountEvent {
  /** Null for an address that no user has. */
  readonly userId: string | null
  readonly event: AccountEventName
  /** Null for what a command does. */
  readonly addressClass: AddressClass | null
  readonly detail?: Readonly<Record<string, unknown>>
  /** Milliseconds since the epoch. */
  readonly at: number
}

const insertEvent = statement(
  'insert_account_event',
  `insert into account_events (id, user_id, occurred_at, event, address_class, detail) values ($1, $2, $3, $4, $5, $6)`,
)

// Somebody who guesses must not fill the log: one failure a minute is told.
const insertRareEvent = statement(
  'insert_rare_account_event',
  `insert into account_events (id, user_id, occurred_at, event, address_class, detail)
   select $1, $2, $3, $4, $5, $6
    where not exists (
      select from account_events e
       where e.user_id is not distinct from $2::uuid and e.event = $4 and e.occurred_at > $3::timestamptz - interval '1 minute')`,
)

/** Where statements are sent: a transaction, or the database. */
interface Target {
  query(asked: Statement, values: readonly unknown[]): Promise<Row[]>
}

/** Adds an entry to the log of accounts. */
export async function noteAccountEvent(event: AccountEvent, target: Target): Promise<void> {
  await target.query(insertEvent, valuesOf(event))
}

/** The same, unless the last minute has such an entry already. */
export async function noteRareAccountEvent(event: AccountEvent, target: Target): Promise<void> {
  await target.query(insertRareEvent, valuesOf(event))
}

function valuesOf({ userId, event, addressClass, detail = {}, at }: AccountEvent): unknown[] {
  return [newId(), userId, new Date(at).toISOString(), event, addressClass, JSON.stringify(detail)]
}

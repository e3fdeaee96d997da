import type { SignedIn } from '../kernel/auth/index.ts'
import { notFound, type Refusal, type Services } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { endSessions, endSessionWithId } from './end-sessions.ts'
import { type EndingServices, endWithEvent } from './end-with-event.ts'

const selectSessions = statement(
  'select_own_sessions',
  `select s.id, s.created_at, s.seen_at, s.address_class, s.browser
     from sessions s
    where s.user_id = $1 and s.expires_at > $2
    order by s.seen_at desc, s.id`,
)

/** A session, as its user sees it. */
export interface OwnSession {
  readonly id: string
  /** Whether it is the session that asks. */
  readonly current: boolean
  readonly createdAt: string
  /** When it was last used, to the minute. */
  readonly seenAt: string
  readonly addressClass: string
  readonly browser: string
}

/** The sessions of the user, the last used first. */
export async function listSessions(
  { session, user }: SignedIn,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<OwnSession[]> {
  const rows = await database.query(selectSessions, [user.id, new Date(clock.now()).toISOString()])
  return rows.map(row => ({
    id: String(row.id),
    current: row.id === session.id,
    createdAt: String(row.created_at),
    seenAt: String(row.seen_at),
    addressClass: String(row.address_class),
    browser: String(row.browser),
  }))
}

/** Ends one session of the user; 404 if the user has no such session. */
export async function endOneSession(
  { user }: { readonly user: Pick<SignedIn['user'], 'id'> },
  id: string,
  address: string,
  services: EndingServices,
): Promise<Refusal | null> {
  const ended = await endWithEvent(address, services, async transaction =>
    (await endSessionWithId(user.id, id, transaction)) ? user.id : null,
  )
  return ended === null ? notFound() : null
}

/** Ends all sessions of the user but this one. */
export async function endOtherSessions(
  { session, user }: SignedIn,
  address: string,
  services: EndingServices,
): Promise<void> {
  await endWithEvent(address, services, async transaction => {
    await endSessions(user.id, session.id, transaction)
    return user.id
  })
}

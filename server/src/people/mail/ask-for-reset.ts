import { addJob, noOrganization, type Refusal, type Services } from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { inOneTransaction } from '../in-one-transaction.ts'
import { admitMail, mailLimits, refuseAsker } from './mail-limits.ts'
import { resetMail } from './reset-mail.ts'

const findUserToReset = statement(
  'find_user_to_reset',
  'select u.id from users u where lower(u.email) = lower($1) and u.active',
)

/**
 * Asks for a mail with a link that resets the password of the account with this address. Answers and takes the same whether or not there is
 * one: an address without an account is counted and gets a job too, which finds nobody. Does nothing if mail was asked for less than a
 * minute ago or five times in an hour, and if the server sends none. Refuses a network address that asks too often (429).
 */
export async function askForReset(
  { email, address }: { readonly email: string; readonly address: string },
  services: Pick<Services, 'database' | 'secret' | 'clock' | 'counters' | 'mail'>,
): Promise<Refusal | null> {
  const refusal = await refuseAsker(address, services)
  if (refusal !== null || services.mail === null) return refusal
  const { database, clock } = services
  const [user] = await database.query(findUserToReset, [email.trim()])
  const counted = user === undefined ? `reset of ${email.trim().toLowerCase()}` : `reset by ${String(user.id)}`
  await inOneTransaction(database, async transaction => {
    if (!(await admitMail(counted, mailLimits.person, services, transaction))) return
    const userId = user === undefined ? newId() : String(user.id)
    // A job that still waits is replaced, so a queue that nobody works on has one for each account and slot.
    const key = user === undefined ? `nobody ${services.secret.slot(counted)}` : userId
    await addJob(transaction, noOrganization, { job: resetMail, payload: { userId, askedAt: clock.now() }, key })
  })
  return null
}

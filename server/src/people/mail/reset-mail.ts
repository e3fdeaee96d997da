import { defineJob } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { inOneTransaction } from '../in-one-transaction.ts'
import { createLink } from '../links/create-link.ts'
import { composeReset } from './compose.ts'
import { linkInMail, sendNoted } from './send-noted.ts'

/** After so long nobody waits for the mail any more. */
const longestWait = 3_600_000

const selectUserToMail = statement(
  'select_user_to_mail',
  'select u.email, u.name, u.locale from users u where u.id = $1 and u.active',
)

/**
 * Mails a link that resets a password. The link is made when the job runs, so no row and no log ever has it; another attempt makes another
 * one, and the one before is no longer good.
 */
export const resetMail = defineJob({
  name: 'reset_mail',
  async run({ userId, askedAt }, { services }) {
    const { database, clock } = services
    const now = clock.now()
    const [user] = await database.query(selectUserToMail, [userId])
    if (user === undefined || now - Number(askedAt) > longestWait) return 'done'
    const { email, name, locale } = { email: String(user.email), name: String(user.name), locale: String(user.locale) }
    const id = String(userId)
    const { text } = await inOneTransaction(database, transaction =>
      createLink({ kind: 'reset', email, name, userId: id }, now, transaction),
    )
    const message = composeReset({ email, link: linkInMail('reset', text, services) }, locale)
    await sendNoted(message, { userId: id, detail: { kind: 'reset' } }, services)
    return 'done'
  },
})

import { defineJob } from '../../kernel/index.ts'
import { inOneTransaction } from '../in-one-transaction.ts'
import { createLink } from '../links/create-link.ts'
import { lockUserToChange } from '../users.sql.ts'
import { composeReset } from './compose.ts'
import { addressInMail, sendNoted } from './send-noted.ts'

/** After so long nobody waits for the mail any more. */
const longestWait = 3_600_000

/**
 * Mails a link that resets a password. The link is made when the job runs, so no row and no log ever has it; another attempt makes another
 * one, and the mailed one before is no longer good. A link that the operator has made stays good.
 */
export const resetMail = defineJob({
  name: 'reset_mail',
  async run({ userId, askedAt }, { services }) {
    const { database, clock } = services
    const now = clock.now()
    if (now - Number(askedAt) > longestWait) return 'done'
    const address = addressInMail('reset', services)
    const id = String(userId)
    // With the lock of the user: an address that is taken away at this moment gets no link.
    const made = await inOneTransaction(database, async transaction => {
      const [user] = await transaction.query(lockUserToChange, [id])
      if (user?.active !== true) return null
      const { email, name, locale } = {
        email: String(user.email),
        name: String(user.name),
        locale: String(user.locale),
      }
      const { text } = await createLink({ kind: 'reset', email, name, userId: id, isMailed: true }, now, transaction)
      return { email, locale, text }
    })
    if (made === null) return 'done'
    const { email, locale, text } = made
    const message = composeReset({ email, link: address(text) }, locale)
    await sendNoted(message, { userId: id, detail: { kind: 'reset' } }, services)
    return 'done'
  },
})

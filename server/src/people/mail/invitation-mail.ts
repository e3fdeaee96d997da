import { addJob, defineJob, type Services } from '../../kernel/index.ts'
import { statement, type Transaction } from '../../kernel/sql/index.ts'
import { hashLink, newLinkText } from '../links/create-link.ts'
import { composeInvitation } from './compose.ts'
import { admitMail, mailLimits } from './mail-limits.ts'
import { addressInMail, sendNoted } from './send-noted.ts'

/** $1 organization, $2 hash of the link that was shown, $3 hash of the one in the mail, $4 now. No row: it is no longer good. */
const giveMailedLink = statement(
  'give_mailed_link',
  `update user_links l set mailed_hash = $3
    where l.organization_id = $1 and l.secret_hash = $2 and l.kind = 'invitation' and l.used_at is null and l.expires_at > $4
   returning l.email, l.expires_at`,
)

// A statement of its own: a cluster refuses a change of links, which every node has, that reads an organization.
const selectInviting = statement(
  'select_inviting_organization',
  `select o.name, coalesce((select u.locale from users u where lower(u.email) = lower($2)), o.locale) as locale
     from organizations o where o.id = $1`,
)

/**
 * Mails the link of an invitation. The inviter has seen another link, so the use of this one proves that the person reads mail to the address.
 * The job makes it when it runs, so no row and no log ever has it; another attempt makes another one.
 */
export const invitationMail = defineJob({
  name: 'invitation_mail',
  // The last attempt is made after some four hours.
  attempts: 10,
  async run({ invitation }, { organizationId, services }) {
    const { database, clock } = services
    const address = addressInMail('invitation', services)
    const text = newLinkText()
    const shown = Buffer.from(String(invitation), 'base64url')
    const now = new Date(clock.now()).toISOString()
    const [row] = await database.query(giveMailedLink, [organizationId, shown, hashLink(text), now])
    if (row === undefined) return 'done'
    const email = String(row.email)
    const [inviting] = await database.query(selectInviting, [organizationId, email])
    const facts = {
      email,
      organization: String(inviting?.name),
      expiresAt: String(row.expires_at),
      link: address(text),
    }
    const message = composeInvitation(facts, String(inviting?.locale))
    await sendNoted(message, { userId: null, detail: { kind: 'invitation', organizationId } }, services)
    return 'done'
  },
})

/**
 * Has the invitation with this link mailed, unless too much was mailed for the organization or to the address lately. Resolves to whether
 * it will be.
 */
export async function mailInvitation(
  { organizationId, email, text }: { readonly organizationId: string; readonly email: string; readonly text: string },
  parts: Pick<Services, 'secret' | 'clock'>,
  transaction: Transaction,
): Promise<boolean> {
  const to = `invitation of ${email.toLowerCase()} to ${organizationId}`
  if (!(await admitMail(to, mailLimits.person, parts, transaction))) return false
  const by = `invitations to ${organizationId}`
  if (!(await admitMail(by, mailLimits.organization, parts, transaction))) return false
  const invitation = hashLink(text).toString('base64url')
  await addJob(transaction, organizationId, { job: invitationMail, payload: { invitation }, key: invitation })
  return true
}

import { violates } from '../kernel/schema/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'
import { type Administration, AdministrationError, administer, operator } from '../settings/index.ts'
import { membershipsOf } from './show-users.ts'

/**
 * $1 user, $2 e-mail address: an operator who has the address in an organization of the user and is another person. A user belongs to the
 * installation, so this look-up crosses organizations.
 */
const findOtherOperator = statement(
  'find_other_operator_with_email',
  `select o.name, g.name as organization
     from memberships m
     join operators o on o.organization_id = m.organization_id
     join organizations g on g.organization_id = m.organization_id
    where m.user_id = $1 and o.id <> m.id and lower(o.email) = lower($2)
    order by g.name limit 1`,
)

/** Throws an `AdministrationError` if the operators that a user is cannot get this address, because another operator has it. */
export async function expectFreeForOperators(userId: string, email: string, transaction: Transaction): Promise<void> {
  const [other] = await transaction.query(findOtherOperator, [userId, email])
  if (other === undefined) return
  const { name, organization } = other
  throw new AdministrationError(
    `the operator ${String(name)} of ${String(organization)} has the e-mail address ${email}: give that operator another one first`,
  )
}

/**
 * Gives the operators that a user is the user's e-mail address, one organization after another. Those that have it stay as they are, so that a
 * repetition completes what was interrupted. Throws as `administer` does.
 */
export async function readdressOperators(administration: Administration, userId: string, email: string): Promise<void> {
  for (const { organizationId, id } of await membershipsOf(administration.database, userId))
    await administer(administration, organizationId, {
      needs: needs => needs.toLoadNestedIn(operator, organizationId),
      decide(draft) {
        const person = draft.record(operator, id)
        if (person === null || person.email === email) return null
        const isTaken = draft.all(operator).some(each => each.id !== id && sameAddress(each.email, email))
        if (isTaken) return violates('/email', 'unique', `another operator has the e-mail address ${email}`)
        return draft.alter(operator, person, { email })
      },
    })
}

function sameAddress(one: unknown, other: string): boolean {
  return String(one).toLowerCase() === other.toLowerCase()
}

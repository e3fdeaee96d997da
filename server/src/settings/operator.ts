import { Lookup } from '../kernel/record/index.ts'
import { violates } from '../kernel/schema/index.ts'
import { claimedStatement } from '../kernel/sql/index.ts'
import { defineSetting } from './define-setting.ts'
import { inspecting, inUse, name } from './fields.ts'
import { organization } from './organization.ts'
import { idOf } from './setting.ts'
import { settingBounds } from './setting-bounds.ts'

const email = {
  isValid: (text: string) => /^[^\s@]+@[^\s@]+$/u.test(text),
  reason: (text: string) => `"${text}" is no e-mail address`,
}

const findMembership = claimedStatement(
  'find_membership_of_operator',
  'select m.role from memberships m where m.organization_id = $1 and m.id = $2',
)

/** The membership of a user who is this operator. */
const membershipOf = (id: string) => Lookup.row(findMembership, [id])

const isMember = 'the operator is a member of the organization: remove the member first'

/** A person of the organization who can own records. An inactive operator keeps their records and gets no new ones. */
export const operator = defineSetting({
  kind: 'operator',
  owner: organization,
  about: 'operators, who can own records',
  creates: 'an operator, who can own records',
  order: 'createdAt',
  bound: settingBounds.organizationOperators,
  fields: {
    name: name('the name of an operator', { help: 'name of the person' }),
    email: {
      ...name('an e-mail address', { option: 'email <address>', help: 'unique in the organization' }, 254),
      inspect: inspecting(email),
    },
    active: inUse({
      yes: { option: 'active', help: 'records can be given to the operator' },
      no: { option: 'inactive', help: 'no more records can be given to the operator' },
    }),
  },
  unique: { email: ({ email }) => `another operator has the e-mail address ${String(email)}` },
  receipt: idOf,
  needs(needs, { active }, id) {
    if (active === false && id !== null) needs.toLoad(membershipOf(id))
  },
  alter(draft, before, input, kind) {
    if (input.active === false && draft.read(membershipOf(before.id)) !== null)
      return violates('/active', 'member', isMember)
    return draft.alter(kind, before, input)
  },
  insteadOfRemoval: 'make it inactive instead',
  heldBy: { row: membershipOf, refusal: violates('', 'member', isMember) },
})

export const { create: createOperator, set: setOperator } = operator.administered

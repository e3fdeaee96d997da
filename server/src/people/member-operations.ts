import { memberRoles } from '../kernel/auth/index.ts'
import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  expectedVersionSchema,
  jsonBody,
  type Operation,
  Refusal,
  type Request,
} from '../kernel/index.ts'
import { isObject, listSchema } from '../kernel/schema/index.ts'
import { administrationBy, answerAdministration } from '../settings/index.ts'
import { cancelInvitation, inviteMember } from './invitations.ts'
import { linkAddress } from './links/create-link.ts'
import { listMembers } from './list-members.ts'
import { removeMember, setMemberRole } from './members.ts'
import { roleOf } from './roles.ts'
import { listSignIns } from './sign-ins-operation.ts'

const common = { conventions: cabinetConventions, idempotent: false, scopes: ['members_manage'] } as const
const missingMember = ['not_found', 'The organization has no such member.'] as const
const roleSchema = { component: 'MemberRole', type: 'string', enum: [...memberRoles] }
const idSchema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }

const memberSchema = {
  component: 'Member',
  type: 'object',
  required: ['id', 'invitationId', 'version', 'name', 'email', 'role', 'active', 'state', 'lastSignInAt', 'expiresAt'],
  properties: {
    id: { type: ['string', 'null'], format: 'uuid', description: 'The operator that the member is; null if invited.' },
    invitationId: { type: ['string', 'null'] },
    version: { type: ['integer', 'null'], description: 'The version of the membership; null if invited.' },
    name: { type: 'string' },
    email: { type: 'string' },
    role: roleSchema,
    active: { type: 'boolean' },
    state: { type: 'string', enum: ['member', 'invited', 'expired'] },
    lastSignInAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Since the user became a member. Null without one in the last 90 days, and to callers who are no owners.',
    },
    expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'The end of an invitation.' },
    hasSecondFactor: { type: 'boolean', description: 'Only for owners.' },
  },
}

/**
 * `GET …/members`: the members, and who is invited. Everybody sees them, as everybody sees operators; only owners see who has a second
 * factor, and when members last signed in.
 */
const list = defineOperation({
  ...common,
  id: 'members.list',
  method: 'GET',
  path: cabinetPath('/members'),
  summary: 'List the members, and who is invited',
  scopes: ['crm_operators_read'],
  answer: { data: listSchema(memberSchema) },
  async execute({ caller }, { database, clock }) {
    const members = await listMembers(database, caller.organization.id, clock.now())
    const isOwner = caller.scopes.has('members_manage')
    const shown = members.map(({ userId: _, hasSecondFactor, ...member }) =>
      isOwner ? { ...member, hasSecondFactor } : { ...member, lastSignInAt: null },
    )
    return { status: 200, data: shown, meta: {} }
  },
})

/**
 * `POST …/members`: the answer shows the link of the invitation, and no other does; a mail has one of its own. It is the same whether or not
 * the address has an account. It begins with its path: the page that shows it knows the address under which people reach the server.
 */
const invite = defineOperation({
  ...common,
  id: 'members.invite',
  method: 'POST',
  path: cabinetPath('/members'),
  summary: 'Invite a person',
  needsFreshSignIn: true,
  success: [201],
  body: jsonBody('MemberInvitation', {
    email: { type: 'string', maxLength: 254 },
    name: { type: 'string', maxLength: 200 },
    role: roleSchema,
  }),
  refuses: [['unprocessable', 'The address is that of a member, or there are too many open invitations.']],
  answer: {
    data: {
      component: 'InvitationLink',
      type: 'object',
      required: ['link', 'expiresAt', 'mailed'],
      properties: {
        link: { type: 'string' },
        expiresAt: { type: 'string', format: 'date-time' },
        mailed: { type: 'boolean', description: 'Whether a link of its own goes to the address by mail.' },
      },
    },
  },
  async execute(request, services) {
    const { email, name, role } = isObject(request.body) ? request.body : {}
    const created = await answerAdministration(() =>
      inviteMember(administrationBy(request, services), {
        organizationId: request.caller.organization.id,
        email: String(email),
        name: String(name),
        role: roleOf(role),
        invitedBy: request.caller.author.uuid,
        mails: services.mail !== null,
      }),
    )
    if (created instanceof Refusal) return created
    const link = linkAddress('', 'invitation', created.text)
    return { status: 201, data: { link, expiresAt: created.expiresAt, mailed: created.isMailed }, meta: {} }
  },
})

/** `PATCH …/members/{id}`: the last owner stays one. The member's sessions end, except the one that asks. */
const setRole = defineOperation({
  ...common,
  id: 'members.update',
  method: 'PATCH',
  path: cabinetPath('/members/{id}'),
  summary: 'Change the role of a member',
  needsFreshSignIn: true,
  body: jsonBody('MemberUpdate', { expectedVersion: expectedVersionSchema, role: roleSchema }),
  refuses: [
    missingMember,
    ['version_conflict', 'The membership no longer has the version in `expectedVersion`.'],
    ['unprocessable', 'The last owner stays an owner.'],
  ],
  answer: { data: { component: 'ChangedMember', ...idSchema } },
  async execute(request, services) {
    const { credential } = request.caller
    const { expectedVersion, role } = isObject(request.body) ? request.body : {}
    const keepSession = 'session' in credential ? credential.session.id : null
    const changed = await answerAdministration(() =>
      setMemberRole(administrationBy(request, services), {
        ...addressOf(request),
        expectedVersion: Number(expectedVersion),
        role: roleOf(role),
        keepSession,
      }),
    )
    return changed instanceof Refusal ? changed : { status: 200, data: changed, meta: {} }
  },
})

/** `DELETE …/members/{id}`: the account stays, and so do the records of the operator. */
const remove = defineOperation({
  ...common,
  id: 'members.remove',
  method: 'DELETE',
  path: cabinetPath('/members/{id}'),
  summary: 'End a membership',
  needsFreshSignIn: true,
  refuses: [missingMember, ['unprocessable', 'The last owner stays.']],
  answer: { data: { component: 'RemovedMember', ...idSchema } },
  async execute(request, services) {
    const address = addressOf(request)
    const removed = await answerAdministration(() => removeMember(administrationBy(request, services), address))
    return removed instanceof Refusal ? removed : { status: 200, data: { id: address.id }, meta: {} }
  },
})

/** `DELETE …/invitations/{id}`: its link is no longer good. */
const cancel = defineOperation({
  ...common,
  id: 'members.cancelInvitation',
  method: 'DELETE',
  path: cabinetPath('/invitations/{id}'),
  summary: 'Cancel an invitation',
  chosenIds: ['id'],
  refuses: [['not_found', 'There is no such open invitation.']],
  answer: { data: { component: 'CanceledInvitation', ...idSchema } },
  async execute(request, services) {
    const address = addressOf(request)
    const canceled = await answerAdministration(() => cancelInvitation(administrationBy(request, services), address))
    return canceled instanceof Refusal ? canceled : { status: 200, data: { id: address.id }, meta: {} }
  },
})

function addressOf({ caller, path: { id = '' } }: Request) {
  return { organizationId: caller.organization.id, id }
}

export const memberOperations: readonly Operation[] = [list, invite, setRole, remove, cancel, listSignIns]

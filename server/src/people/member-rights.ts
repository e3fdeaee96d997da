import type { Members, RightsOfMember } from '../kernel/index.ts'
import { type Database, type Reader, statement } from '../kernel/sql/index.ts'
import { permissionsOf, roleOf } from './roles.ts'

/**
 * $1 organization, $2 id of the member: its role, the switches of the organization that bear on roles, and the application of its cabinet.
 */
const findMember = statement(
  'find_member_by_id',
  `select m.user_id, m.role, o.members_see_contact_data, o.members_see_amounts, o.managers_manage_integrations, a.id as application_id
     from memberships m
     join organizations o on o.id = m.organization_id
     join applications a on a.organization_id = m.organization_id and a.kind = 'cabinet'
    where m.organization_id = $1 and m.id = $2`,
)

/** $1 id of a user. A separate look-up, so that a cluster asks one node for the member. */
const selectWhetherActive = statement('select_whether_user_is_active', 'select u.active from users u where u.id = $1')

/** What members may do now, read anew each time. */
export class MemberRights implements Members {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(operatorId: string, reader: Reader): Promise<RightsOfMember | null> {
    const [member] = await this.#database.query(findMember, [reader.organizationId, operatorId], reader)
    if (member === undefined) return null
    const [user] = await this.#database.query(selectWhetherActive, [member.user_id], reader)
    if (user?.active !== true) return null
    const switches = {
      membersSeeContactData: member.members_see_contact_data === true,
      membersSeeAmounts: member.members_see_amounts === true,
      managersManageIntegrations: member.managers_manage_integrations === true,
    }
    return { applicationId: String(member.application_id), permissions: permissionsOf(roleOf(member.role), switches) }
  }
}

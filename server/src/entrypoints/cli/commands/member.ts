import type { Command } from 'commander'
import type { MemberRole } from '../../../kernel/auth/index.ts'
import type { ListedMember } from '../../../people/index.ts'
import { showOrganization } from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { roleOption, roleWord } from '../role-option.ts'
import { listed } from './setting.ts'

interface Options extends OutputOptions {
  readonly organization: string
}

interface RoleOptions extends Options {
  readonly role: MemberRole
}

const organizationOption = ['--organization <id>', 'of which organization'] as const
const whichUser = ['<user>', 'which user: its id or e-mail address'] as const

export function addMemberCommands(program: Command, commandLine: CommandLine): void {
  const member = program.command('member').description('what users are in an organization')
  member
    .command('add')
    .description('make a user a member: the operator with the same e-mail address, or a new one')
    .argument(...whichUser)
    .requiredOption(...organizationOption)
    .addOption(roleOption('its role').makeOptionMandatory())
    .option(...jsonOption)
    .action((text: string, options: RoleOptions) =>
      commandLine.run(options, async installation => {
        const { addMember, findUser } = await import('../../../people/index.ts')
        const user = await findUser(installation.database, text)
        const { organization: organizationId, role } = options
        const added = await addMember(installation, { organizationId, user, role })
        return { json: added, text: `Made ${user.email} a member: operator ${added.id}.` }
      }),
    )
  member
    .command('set')
    .description('change the role of a member, whose sessions end')
    .argument(...whichUser)
    .requiredOption(...organizationOption)
    .addOption(roleOption('its role').makeOptionMandatory())
    .option(...jsonOption)
    .action((text: string, options: RoleOptions) =>
      commandLine.run(options, async installation => {
        const { setMemberRole } = await import('../../../people/index.ts')
        const changed = await setMemberRole(installation, {
          ...(await memberNamed(text, options, installation)),
          role: options.role,
        })
        return { json: changed, text: `Changed the role of operator ${changed.id} to ${roleWord(options.role)}.` }
      }),
    )
  member
    .command('remove')
    .description('end a membership; the operator becomes inactive, and records keep it')
    .argument(...whichUser)
    .requiredOption(...organizationOption)
    .option(...jsonOption)
    .action((text: string, options: Options) =>
      commandLine.run(options, async installation => {
        const { removeMember } = await import('../../../people/index.ts')
        const address = await memberNamed(text, options, installation)
        await removeMember(installation, address)
        return { json: { id: address.id }, text: `Ended the membership of operator ${address.id}.` }
      }),
    )
  member
    .command('list')
    .description('list members and open invitations')
    .requiredOption(...organizationOption)
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async ({ database }) => {
        const { listMembers } = await import('../../../people/index.ts')
        const { id } = await showOrganization(database, options.organization)
        const members = await listMembers(database, String(id), Date.now())
        return { json: { members }, text: listed(members.map(brief), 'members') }
      }),
    )
}

/** The member that is this user. */
async function memberNamed(text: string, { organization }: Options, { database }: Installation) {
  const { findUser, membershipsOf } = await import('../../../people/index.ts')
  const { id: userId, email } = await findUser(database, text)
  const found = (await membershipsOf(database, userId)).find(({ organizationId }) => organizationId === organization)
  if (found === undefined) throw new Error(`${email} is no member of the organization: see member list`)
  return { organizationId: found.organizationId, id: found.id }
}

function brief({ id, name, email, role, active, state }: ListedMember) {
  return { operator: id, name, email, role: roleWord(role), active, state }
}

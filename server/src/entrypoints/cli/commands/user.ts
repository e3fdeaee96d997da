import { type Command, Option } from 'commander'
import type { MemberRole } from '../../../kernel/auth/index.ts'
import { cabinetAddress } from '../../../start/cabinet-address.ts'
import type { Installation } from '../../../start/installation.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { roleOption } from '../role-option.ts'
import { sheetOf } from '../table.ts'
import { listed } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly email: string
  readonly name: string
  readonly role?: MemberRole
}

interface SetOptions extends OutputOptions {
  readonly email?: string
  readonly name?: string
  readonly active?: true
  readonly inactive?: true
  readonly proven?: true
  readonly removeSecondFactor?: true
}

const whichUser = ['<user>', 'which user: its id or e-mail address'] as const

export function addUserCommands(program: Command, commandLine: CommandLine): void {
  const user = program.command('user').description('users, who sign in to the pages')
  addCreate(user, commandLine)
  addReads(user, commandLine)
  addSet(user, commandLine)
  user
    .command('remove')
    .description('remove a user with all memberships; operators stay as inactive ones')
    .argument(...whichUser)
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { removeUser } = await import('../../../people/index.ts')
        const removed = await removeUser(installation, text)
        return { json: removed, text: `Removed user ${removed.id}.` }
      }),
    )
  user
    .command('reset-link')
    .description('print a link with which a user chooses another password')
    .argument(...whichUser)
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { createResetLink, linkAddress } = await import('../../../people/index.ts')
        const { text: secret, expiresAt } = await createResetLink(installation, text)
        const link = linkAddress(cabinetAddress(installation.config), 'reset', secret)
        return { json: { link, expiresAt }, text: link }
      }),
    )
  user
    .command('sign-out')
    .description('end all sessions of a user')
    .argument(...whichUser)
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { signOutUser } = await import('../../../people/index.ts')
        const done = await signOutUser(installation, text)
        return { json: done, text: `Ended ${done.ended} sessions of user ${done.id}.` }
      }),
    )
}

function addCreate(user: Command, commandLine: CommandLine): void {
  user
    .command('create')
    .description('create a user, and print a link with which the person chooses a password')
    .requiredOption('--email <address>', 'unique in the installation')
    .requiredOption('--name <name>', 'name of the person')
    .option('--organization <id>', 'make the user a member of this organization')
    .addOption(roleOption('its role there (member)'))
    .option(...jsonOption)
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { createUserWithLink, linkAddress } = await import('../../../people/index.ts')
        const { email, name, organization, role } = options
        if (role !== undefined && organization === undefined) throw new Error('--role goes with --organization')
        const membership = organization === undefined ? null : { organizationId: organization, role: role ?? 'member' }
        const { id, text } = await createUserWithLink(installation, { email, name }, membership)
        const link = linkAddress(cabinetAddress(installation.config), 'invitation', text)
        return {
          json: { id, link },
          text: `Created user ${id}. The person chooses a password here, within 7 days:\n${link}`,
        }
      }),
    )
}

function addReads(user: Command, commandLine: CommandLine): void {
  user
    .command('list')
    .description('list users')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async ({ database }: Installation) => {
        const { listUsers } = await import('../../../people/index.ts')
        const users = await listUsers(database)
        return { json: { users }, text: listed(users, 'users') }
      }),
    )
  user
    .command('show')
    .description('show one user, with memberships and sessions')
    .argument(...whichUser)
    .option(...jsonOption)
    .action((text: string, options: OutputOptions) =>
      commandLine.run(options, async ({ database }: Installation) => {
        const { showUser } = await import('../../../people/index.ts')
        const shown = await showUser(database, text)
        return { json: shown, text: sheetOf(shown) }
      }),
    )
}

function addSet(user: Command, commandLine: CommandLine): void {
  user
    .command('set')
    .description('change a user; another address, and a state that ends access, end all sessions')
    .argument(...whichUser)
    .option('--email <address>', 'unique in the installation')
    .option('--name <name>', 'name of the person')
    .addOption(new Option('--active', 'let the user sign in').conflicts('inactive'))
    .option('--inactive', 'let the user no longer sign in')
    .option('--proven', 'the address is known to be of the person, who may then join further organizations')
    .option('--remove-second-factor', 'remove the second factor and the recovery codes')
    .option(...jsonOption)
    .action((text: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const { setUser } = await import('../../../people/index.ts')
        const { email, name, active, inactive, proven, removeSecondFactor } = options
        const state = active ? { active: true } : inactive ? { active: false } : {}
        const changed = await setUser(installation, text, {
          ...(email === undefined ? {} : { email }),
          ...(name === undefined ? {} : { name }),
          ...state,
          ...(proven ? { proven } : {}),
          ...(removeSecondFactor ? { removeSecondFactor } : {}),
        })
        return { json: changed, text: `Changed user ${changed.id}.` }
      }),
    )
}

import type { Command } from 'commander'
import { ask } from '../asking.ts'
import { assertAddress, connect } from '../connect.ts'
import { CommandFailure, UsageError } from '../failure.ts'
import { readAll } from '../input.ts'
import type { Invocation } from '../invocation.ts'
import { type Profile, profileFile, removeProfile, writeProfile } from '../profiles.ts'
import type { Shell } from '../shell.ts'

const longestToken = 4096

/** `crm login`: stores a server and a token, after the server has said whose it is. */
export function addLoginCommand(program: Command, invocation: Invocation): void {
  program
    .command('login')
    .description('store a server and a token, which is read from standard input')
    .option('--url <url>', 'the address of the server; asked for unless given')
    .action(async ({ url: given }: { readonly url?: string }, command: Command) => {
      const { shell } = invocation
      const name = invocation.profileName(command)
      const file = profileFile(shell, name)
      const profile = shell.isInputTerminal ? await askForProfile(shell, given) : await readGiven(shell, given)
      const { protocol, hostname } = new URL(profile.url)
      if (protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname))
        invocation.tell(
          command,
          'warning: the token goes over the network in clear, because the address begins with http',
        )
      const { organization, application } = await connect(profile).capabilities.get()
      await writeProfile(file, profile)
      invocation.tell(command, `logged in to ${organization.name} as ${application.name} (profile ${name})`)
    })
}

/** `crm logout`: forgets a stored token. It stays valid: only the server can revoke it. */
export function addLogoutCommand(program: Command, invocation: Invocation): void {
  program
    .command('logout')
    .description('remove a stored server and token from this machine')
    .action(async (_options: object, command: Command) => {
      const name = invocation.profileName(command)
      if (!(await removeProfile(profileFile(invocation.shell, name))))
        throw new CommandFailure(`there is no profile ${name}`)
      invocation.tell(command, `removed the profile ${name}; its token stays valid until the server revokes it`)
    })
}

async function askForProfile(shell: Shell, given: string | undefined): Promise<Profile> {
  if (given !== undefined) assertAddress(given)
  const token = { text: 'Token (not shown): ', isSecret: true }
  const answers = await ask(shell, given === undefined ? [{ text: 'Address of the server: ' }, token] : [token])
  return profileOf(given ?? answers[0], answers.at(-1))
}

async function readGiven(shell: Shell, url: string | undefined): Promise<Profile> {
  if (url === undefined) throw new UsageError('--url is missing, and nobody is at a terminal to ask')
  return profileOf(url, (await readAll(shell.input, longestToken, 'the token')).trim())
}

function profileOf(url = '', token = ''): Profile {
  assertAddress(url)
  if (token === '') throw new UsageError('the token is missing: write it to standard input')
  return { url, token }
}

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { Crm } from 'crm-sdk'
import { CommandFailure, UsageError } from '../failure.ts'
import { readAll } from '../input.ts'
import type { Invocation } from '../invocation.ts'
import { profileFile, removeProfile, writeProfile } from '../profiles.ts'
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
      const url = given ?? (await ask(shell, 'Address of the server: ', true))
      const token = await readToken(shell)
      const { organization, application } = await new Crm({ url, token }).capabilities.get()
      await writeProfile(file, { url, token })
      const { protocol, hostname } = new URL(url)
      if (protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname))
        invocation.tell(
          command,
          'warning: the token goes over the network in clear, because the address begins with http',
        )
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

async function readToken(shell: Shell): Promise<string> {
  const token = shell.isInputTerminal
    ? await ask(shell, 'Token (not shown): ', false)
    : (await readAll(shell.input, longestToken, 'the token')).trim()
  if (token === '') throw new UsageError('the token is missing: write it to standard input')
  return token
}

/** Asks at the terminal, and shows what is typed or not. */
async function ask(shell: Shell, question: string, isShown: boolean): Promise<string> {
  if (!shell.isInputTerminal) throw new UsageError('--url is missing, and nobody is at a terminal to ask')
  shell.say(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: shell.input, output: isShown ? shell.errorStream : hidden, terminal: true })
  // Ctrl-C ends the program, as anywhere else.
  terminal.on('SIGINT', () => process.exit(130))
  try {
    const answer = (await terminal.question('')).trim()
    if (!isShown) shell.say('\n')
    return answer
  } finally {
    terminal.close()
  }
}

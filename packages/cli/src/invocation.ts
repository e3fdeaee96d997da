import type { Command } from 'commander'
import type { ClientOptions, Crm } from 'crm-sdk'
import { ask } from './asking.ts'
import { connect } from './connect.ts'
import { CommandFailure, exitStatus, UsageError } from './failure.ts'
import type { Names } from './output/fields.rules.ts'
import { type Format, Output } from './output/output.ts'
import { inOneLine } from './output/printable.ts'
import { defaultProfile, type Profile, profileFile, readProfile } from './profiles.ts'
import type { Shell } from './shell.ts'

/** The options that every command takes. */
export interface CommonOptions {
  readonly profile?: string
  readonly output?: Format
  readonly fields?: readonly string[]
  readonly csvSafe?: boolean
  readonly quiet?: boolean
}

/** What the commands of one run of the program share. */
export class Invocation {
  readonly shell: Shell

  constructor(shell: Shell) {
    this.shell = shell
  }

  /**
   * A client of the server in `CRM_URL` with the token in `CRM_TOKEN`, or else of the profile: `--profile`, `CRM_PROFILE` or `default`.
   * It tells of each attempt that failed. Throws if there is neither.
   */
  async crmOf(command: Command, options: Partial<ClientOptions> = {}): Promise<Crm> {
    const log: ClientOptions['log'] = ({ code, retryIn }) => {
      if (retryIn !== null) this.tell(command, `${code}: trying again in ${(retryIn / 1000).toFixed(1)} s`)
    }
    return connect(await this.connectionOf(command), { log, ...options })
  }

  /** Server and token of a command. */
  async connectionOf(command: Command): Promise<Profile & { readonly from: string }> {
    const { CRM_URL: url, CRM_TOKEN: token } = this.shell.environment
    const { profile } = optionsOf(command)
    if (url || token) {
      if (!url || !token) throw new UsageError('CRM_URL and CRM_TOKEN go together: set both, or neither')
      if (profile !== undefined)
        throw new UsageError('--profile names one server, and CRM_URL and CRM_TOKEN another: leave one of them out')
      return { url, token, from: 'the environment' }
    }
    const name = this.profileName(command)
    const found = await readProfile(profileFile(this.shell, name))
    if (found !== undefined) return { ...found, from: `the profile ${name}` }
    const login = name === defaultProfile ? 'crm login' : `crm login --profile ${name}`
    throw new CommandFailure(
      `there is no profile ${name}: ${login} makes it, or set CRM_URL and CRM_TOKEN`,
      exitStatus.usage,
    )
  }

  profileName(command: Command): string {
    return optionsOf(command).profile ?? (this.shell.environment['CRM_PROFILE'] || defaultProfile)
  }

  /**
   * Where the data of a command goes: a table on a terminal, JSON lines elsewhere, unless `--output` says otherwise. `names` are the members
   * that its records can have. Throws UsageError if `--fields` has others; without `names`, printing does.
   */
  outputOf(command: Command, names?: Names): Output {
    const { output, fields, csvSafe = false } = optionsOf(command)
    const { isOutputTerminal: isTerminal, columns, print } = this.shell
    const format = output ?? (isTerminal ? 'table' : 'json')
    return new Output({
      format,
      ...(fields && { fields }),
      ...(names && { names }),
      csvSafe,
      isTerminal,
      // A terminal that does not know its width has 0.
      columns: isTerminal ? columns || 80 : Infinity,
      print,
    })
  }

  /** Says something to people, unless the command is quiet. */
  tell(command: Command, text: string): void {
    if (!this.isQuiet(command)) this.shell.say(`${inOneLine(text)}\n`)
  }

  /** Whether `tell` says nothing. */
  isQuiet(command: Command): boolean {
    return optionsOf(command).quiet === true
  }

  /** Asks a person to go on. Throws CommandFailure if the answer is not yes, and UsageError if there is nobody to ask. */
  async confirm(question: string): Promise<void> {
    const { isInputTerminal, isErrorTerminal } = this.shell
    if (!isInputTerminal || !isErrorTerminal)
      throw new UsageError('nobody is at a terminal to confirm this: --yes does it without a question')
    const [answer = ''] = await ask(this.shell, [{ text: `${question} [y/N] ` }])
    if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailure('nothing was changed')
  }
}

/** The common options, wherever on the line they stand. */
function optionsOf(command: Command): CommonOptions {
  return command.optsWithGlobals<CommonOptions>()
}

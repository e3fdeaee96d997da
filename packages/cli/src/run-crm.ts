import { Command, CommanderError, Option } from 'commander'
import { addCommandsFor } from './commands/all.ts'
import { exitMeanings, exitStatus, Interrupted, ReaderGone, sentenceOf, statusOf } from './failure.ts'
import { Invocation } from './invocation.ts'
import { formats } from './output/output.ts'
import { inOneLine } from './output/printable.ts'
import type { Shell } from './shell.ts'
import { version } from './version.ts'

/** The status that a shell gives a program that ends by Ctrl-C. */
const interrupted = 130

/** Runs one command. `argv` is what follows the name of the program. Resolves to the exit status; the reason of a failure has been said. */
export async function runCrm(argv: readonly string[], shell: Shell): Promise<number> {
  const program = createProgram(shell)
  try {
    addCommandsFor(argv, program, new Invocation(shell))
    if (argv.length === 0) {
      program.outputHelp()
      return exitStatus.done
    }
    await program.parseAsync([...argv], { from: 'user' })
    return exitStatus.done
  } catch (error) {
    if (error instanceof ReaderGone) return exitStatus.done
    if (error instanceof Interrupted) return interrupted
    if (error instanceof CommanderError) return usageStatus(error, shell)
    shell.say(`crm: ${sentenceOf(error)}\n`)
    return statusOf(error)
  }
}

const meanings = Object.values(exitMeanings).map((meaning, status) => `  ${status}  ${meaning}`)

/** The program with the options that all commands take, and without its commands. */
export function createProgram(shell: Pick<Shell, 'print'>): Command {
  return new Command('crm')
    .description('The CRM Public API on the command line. Begin with: crm login')
    .version(version, '--version', 'print the version')
    .option('--profile <name>', 'the server and token that crm login has stored under this name')
    .addOption(
      new Option('-o, --output <format>', 'table on a terminal, otherwise json: a record in each line').choices(
        formats,
      ),
    )
    .option('--fields <paths>', 'show these members alone, such as id,contactData.emails.0.value', text =>
      text.split(',').map(path => path.trim()),
    )
    .option('--csv-safe', 'put an apostrophe before texts that a spreadsheet would compute')
    .option('-q, --quiet', 'say nothing but errors')
    .addHelpText('after', `\nExit statuses:\n${meanings.join('\n')}`)
    .exitOverride()
    .configureOutput({ writeOut: text => void shell.print(text), writeErr: () => {} })
    .configureHelp({ showGlobalOptions: true })
}

function usageStatus(error: CommanderError, shell: Shell): number {
  if (error.exitCode === 0) return exitStatus.done
  const said =
    error.code === 'commander.help' ? 'a command is missing' : inOneLine(error.message).replace(/^error: /u, '')
  shell.say(`crm: ${said} (--help tells more)\n`)
  return exitStatus.usage
}

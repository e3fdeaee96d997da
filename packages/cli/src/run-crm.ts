import { Command, CommanderError, Option } from 'commander'
import { addCommandsFor } from './commands/all.ts'
import { exitStatus, sentenceOf, statusOf } from './failure.ts'
import { Invocation } from './invocation.ts'
import { formats } from './output/output.ts'
import { inOneLine } from './output/printable.ts'
import type { Shell } from './shell.ts'
import { version } from './version.ts'

/** Runs one command. `argv` is what follows the name of the program. Resolves to the exit status; the reason of a failure has been said. */
export async function runCrm(argv: readonly string[], shell: Shell): Promise<number> {
  const program = createProgram(shell)
  try {
    addCommandsFor(argv, program, new Invocation(shell))
    if (argv.length === 0) {
      await shell.print(program.helpInformation())
      return exitStatus.done
    }
    await program.parseAsync([...argv], { from: 'user' })
    return exitStatus.done
  } catch (error) {
    if (error instanceof CommanderError) return usageStatus(error, shell)
    shell.say(`crm: ${sentenceOf(error)}\n`)
    return statusOf(error)
  }
}

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

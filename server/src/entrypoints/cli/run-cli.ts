import { Command, CommanderError, Help, type Option } from 'commander'
import { productVersion } from '../../kernel/product/index.ts'
import { commandIn } from '../../start/config.ts'
import { CommandLine, type Environment, type Streams } from './command-line.ts'
import { commandsFor } from './commands.ts'
import type { Entrypoints } from './entrypoints.ts'
import { inOneLine, reasonOf } from './reason.ts'

/**
 * Runs one command (contract section 16). `argv` is what follows the program's name. Resolves to the exit status: 0, or 1 after a one-line
 * reason on standard error.
 */
export async function runCli(
  argv: readonly string[],
  environment: Environment,
  entrypoints: Entrypoints,
  streams: Streams,
): Promise<number> {
  const commandLine = new CommandLine(environment, entrypoints, streams)
  const program = createProgram(streams, commandIn(environment))
  try {
    for (const add of await commandsFor(argv[0])) add(program, commandLine)
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync([...argv], { from: 'user' })
    return commandLine.status
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    streams.err(`${error instanceof CommanderError ? usageOf(error, program, argv) : await reasonOf(error)}\n`)
    return 1
  }
}

/** The program without its commands. Its help shows them as users call them: `name` and the words after it. */
export function createProgram(streams: Streams, name = 'crm-server'): Command {
  const program = new Command(name)
    .description('Starts, sets up and administers an installation of the CRM server.')
    .version(productVersion, '--version', 'print the version')
  // Subcommands inherit these, so they come before them. The code above prints the reason of a failure, in one line.
  return program
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: () => {} })
    .configureHelp({ optionDescription: describeOption })
}

function describeOption(this: Help, option: Option): string {
  const description = Help.prototype.optionDescription.call(this, option)
  return option.mandatory ? `${description} (required)` : description
}

function usageOf(error: CommanderError, program: Command, argv: readonly string[]): string {
  const reason =
    error.code === 'commander.help' ? 'a command is missing' : inOneLine(error.message).replace(/^error: /u, '')
  return `${reason} (see ${commandNamed(program, argv)} --help)`
}

/** `… token create`, as far as the words name commands. */
function commandNamed(command: Command, [word, ...rest]: readonly string[]): string {
  const child = command.commands.find(candidate => candidate.name() === word)
  return child === undefined ? command.name() : `${command.name()} ${commandNamed(child, rest)}`
}

import { Command, CommanderError } from 'commander'
import { CommandLine, type Environment, type Streams } from './command-line.ts'
import { addApplicationCommands } from './commands/application.ts'
import { addCustomFieldCommands } from './commands/custom-field.ts'
import { addDemoCommands } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addMaintenanceCommands } from './commands/maintenance.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addOperatorCommands } from './commands/operator.ts'
import { addOrganizationCommands } from './commands/organization.ts'
import { addPipelineCommands } from './commands/pipeline.ts'
import { addRequestCommands } from './commands/request.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTagCommands } from './commands/tag.ts'
import { addTokenCommands } from './commands/token.ts'
import { reasonOf } from './reason.ts'
import type { Shells } from './shells.ts'

/**
 * Runs one command (contract section 16). `argv` is what follows the name of the program. Resolves to the exit status:
 * 0, or 1 after a one-line reason on standard error.
 */
export async function runCli(
  argv: readonly string[],
  environment: Environment,
  shells: Shells,
  streams: Streams,
): Promise<number> {
  const commandLine = new CommandLine(environment, shells, streams)
  const program = createProgram(commandLine, streams)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return commandLine.status
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    streams.err(`${error instanceof CommanderError ? usageOf(error, program, argv) : reasonOf(error)}\n`)
    return 1
  }
}

function createProgram(commandLine: CommandLine, streams: Streams): Command {
  const program = new Command('crm').description('Starts, sets up and administers an installation of the CRM server.')
  // Subcommands take these over, so they stand before them. The reason of a failure is printed above, in one line.
  program.exitOverride().configureOutput({ writeOut: streams.out, writeErr: () => {} })
  addServeCommand(program, commandLine)
  addMigrateCommand(program, commandLine)
  addDoctorCommand(program, commandLine)
  addDemoCommands(program, commandLine)
  addMaintenanceCommands(program, commandLine)
  addRequestCommands(program, commandLine)
  addOrganizationCommands(program, commandLine)
  addApplicationCommands(program, commandLine)
  addTokenCommands(program, commandLine)
  addOperatorCommands(program, commandLine)
  addPipelineCommands(program, commandLine)
  addTagCommands(program, commandLine)
  addCustomFieldCommands(program, commandLine)
  return program
}

function usageOf(error: CommanderError, program: Command, argv: readonly string[]): string {
  const reason = error.code === 'commander.help' ? 'a command is missing' : reasonOf(error).replace(/^error: /u, '')
  return `${reason} (see ${commandNamed(program, argv)} --help)`
}

/** `crm token create`, as far as the words name commands. */
function commandNamed(command: Command, [word, ...rest]: readonly string[]): string {
  const child = command.commands.find(candidate => candidate.name() === word)
  return child === undefined ? command.name() : `${command.name()} ${commandNamed(child, rest)}`
}

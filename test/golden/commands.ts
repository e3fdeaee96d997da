import { CommandLine } from '../../server/src/entrypoints/cli/command-line.ts'
import { commandsFor } from '../../server/src/entrypoints/cli/commands.ts'
import { createProgram } from '../../server/src/entrypoints/cli/run-cli.ts'

const [opening, closing] = ['<!-- commands: written by npm run golden -->', '<!-- end of commands -->']

/** The page with the table of commands as the program has them, in its place between two marks. */
export async function withCommands(page: string): Promise<string> {
  const [start, end] = [page.indexOf(opening), page.indexOf(closing)]
  if (start < 0 || end < start) throw new Error('the page has no place for the table of commands')
  return `${page.slice(0, start + opening.length)}\n${await commandsTable()}${page.slice(end)}`
}

async function commandsTable(): Promise<string> {
  const { commands } = await wholeProgram()
  return ['| Command | Is for | Subcommands |', '|---|---|---|', ...commands.map(rowOf), ''].join('\n')
}

/** The program with all of its commands, none of which is run. */
export async function wholeProgram(): Promise<ReturnType<typeof createProgram>> {
  const entrypoints = {
    serve: async () => 0,
    confirm: async () => false,
  }
  const silence = { out() {}, err() {} }
  const commandLine = new CommandLine({}, entrypoints, silence)
  const program = createProgram(silence)
  for (const add of await commandsFor(undefined)) add(program, commandLine)
  return program
}

function rowOf(command: ReturnType<typeof createProgram>): string {
  const subcommands = command.commands.map(child => `\`${child.name()}\``).join(', ')
  return `| \`${command.name()}\` | ${command.description()} | ${subcommands} |`
}

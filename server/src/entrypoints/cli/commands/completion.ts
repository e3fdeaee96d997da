import { type Command, Option } from 'commander'
import { AdministrationError } from '../../../settings/index.ts'
import type { CommandLine } from '../command-line.ts'

type Add = (program: Command, commandLine: CommandLine) => void

/** Adds the command that prints the shell completion of all commands and options that the program declares; `all` loads them. */
export function addCompletionCommand(
  program: Command,
  commandLine: CommandLine,
  all: () => Promise<readonly Add[]>,
): void {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addOption(new Option('--shell <shell>', 'which shell').choices(['bash', 'zsh']).default('bash'))
    .action(async ({ shell }: { shell: string }) => {
      const whole = program.createCommand(program.name())
      for (const add of await all()) add(whole, commandLine)
      const script = scriptFor(whole, program.name())
      commandLine.streams.out(shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script)
    })
}

/** One function for bash, which zsh accepts as well. The words after a command are those that may follow it, the longest path first. */
function scriptFor(program: Command, name: string): string {
  if (!/^[\w.-]+$/u.test(name))
    throw new AdministrationError('completion is for the program as it is installed, and not for npm run')
  const paths = pathsOf(program, '').toSorted((one, other) => other.path.length - one.path.length)
  const cases = paths.map(({ path, words }) => `    "${path}"*) words="${words.join(' ')}" ;;`)
  const completes = `_${name.replaceAll(/\W/gu, '_')}`
  return [
    `${completes}() {`,
    '  local path="" words="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) path="$path $word" ;; esac',
    '  done',
    '  case "$path " in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    `complete -o default -F ${completes} ${name}`,
    '',
  ].join('\n')
}

interface CompletedPath {
  readonly path: string
  readonly words: readonly string[]
}

function pathsOf(command: Command, before: string): CompletedPath[] {
  const options = command.options.map(({ long, short }) => long ?? short ?? '')
  const own = { path: `${before} `, words: [...command.commands.map(child => child.name()), ...options, '--help'] }
  return [own, ...command.commands.flatMap(child => pathsOf(child, `${before} ${child.name()}`))]
}

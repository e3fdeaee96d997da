import type { Command } from 'commander'
import type { Invocation } from '../invocation.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `crm completion bash`: prints the completion of all commands and options. */
export function addCompletionCommand(program: Command, invocation: Invocation): void {
  const completion = program
    .command('completion')
    .description('print the completion of commands and options for a shell')
  for (const shell of shells)
    completion
      .command(shell)
      .description(`for ${shell}`)
      .action(async () => void (await invocation.shell.print(scriptFor(shell, program))))
}

function scriptFor(shell: (typeof shells)[number], program: Command): string {
  if (shell === 'fish') return fishScript(program)
  const script = bashScript(program)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}

/** A function for bash, which zsh runs as well: it finds the longest path of commands that the line begins with. */
function bashScript(program: Command): string {
  const cases = pathsOf(program, '').map(({ path, words }) => `    "${path}") echo "${words.join(' ')}" ;;`)
  return [
    '_crm_words() {',
    '  case "$1" in',
    ...cases,
    '    *) return 1 ;;',
    '  esac',
    '}',
    '_crm() {',
    '  local path="" words word',
    '  words=$(_crm_words "")',
    '  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do',
    '    if _crm_words "$path $word" >/dev/null; then',
    '      path="$path $word"',
    '      words=$(_crm_words "$path")',
    '    fi',
    '  done',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _crm crm',
    '',
  ].join('\n')
}

/** The same for fish, which asks a function for the words that may come next. */
function fishScript(program: Command): string {
  const cases = pathsOf(program, '').map(
    ({ path, words }) => `        case '${path}'\n            printf '%s\\n' ${words.join(' ')}`,
  )
  return [
    'function __crm_words',
    '    switch "$argv[1]"',
    ...cases,
    "        case '*'",
    '            return 1',
    '    end',
    'end',
    'function __crm',
    "    set -l path ''",
    '    for word in (commandline -opc)[2..-1]',
    '        if __crm_words "$path $word" >/dev/null',
    '            set path "$path $word"',
    '        end',
    '    end',
    '    __crm_words "$path"',
    'end',
    "complete -c crm -a '(__crm)'",
    '',
  ].join('\n')
}

interface CompletedPath {
  readonly path: string
  readonly words: readonly string[]
}

/** What may follow each path of commands: commands, options, and the options of the whole program. */
function pathsOf(command: Command, path: string): CompletedPath[] {
  const flags = [command, ...(command.parent === null ? [] : [rootOf(command)])].flatMap(each =>
    each.options.map(({ long, short }) => long ?? short ?? ''),
  )
  const own = { path, words: [...command.commands.map(child => child.name()), ...flags, '--help'] }
  return [own, ...command.commands.flatMap(child => pathsOf(child, `${path} ${child.name()}`))]
}

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent))

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { blocksOf } from './markdown.ts'
import type { RunningServer } from './server.ts'

/** A block of bash in a page, and what the page says that it prints. */
export interface Step {
  readonly name: string
  readonly script: string
  readonly shown: string
}

/** The steps of a text: each block of bash, with the block of plain text that may follow it. */
export function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, text: script, prose }, index) => {
    if (language !== 'bash') return []
    const next = blocks[index + 1]
    const [, bold, heading] = /\*\*(.+?)[,.]?\*\*|^#+ (.+)$/mu.exec(prose) ?? []
    const name = bold ?? heading ?? script.slice(0, script.indexOf('\n'))
    return [{ name, script, shown: next?.language === 'text' ? next.text.trimEnd() : '' }]
  })
}

/** Whether a step printed what is shown, in which … stands for anything within its line. */
export function formOf(shown: string): RegExp {
  const parts = shown.split('…').map(part => part.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&'))
  return new RegExp(`^${parts.join('[^\\n]*')}$`, 'u')
}

// A reader has what `npm ci` compiled; here commands are of the program that serves.
const preamble = `set -euo pipefail
exec 2>&1
npm() {
  [ "$1 $2 $3 $4" = 'run -s crm --' ]
  shift 4
  node "$CRM_PROGRAM" "$@"
}
`
const border = '--- the next block ---'

/**
 * What each step prints when all are pasted into one shell, in the folder of the sources that the server runs. Throws
 * with everything that was printed when one of them fails.
 */
export async function runSteps(
  steps: readonly Pick<Step, 'script'>[],
  folder: string,
  server: RunningServer,
  language: 'bash' | 'zsh' = 'bash',
): Promise<string[]> {
  const { program, url, dataDirectory } = server
  const env = { PATH: process.env['PATH'], CRM: url, CRM_DATA_DIR: dataDirectory, CRM_PROGRAM: program }
  const shell = spawn(language, [], { cwd: folder, env, stdio: 'pipe' })
  const ended = new Promise<number | null>(resolve => shell.on('close', resolve))
  shell.stdin.end(preamble + steps.map(({ script }) => `${script}echo '${border}'\n`).join(''))
  const printed = (await text(shell.stdout)).replaceAll('\r', '')
  const status = await ended
  if (status !== 0) throw new Error(`a block ended with status ${status}, after:\n${printed}`)
  return printed.split(`${border}\n`).map(each => each.trimEnd())
}

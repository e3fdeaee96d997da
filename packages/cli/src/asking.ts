import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandFailure, Interrupted } from './failure.ts'
import { inOneLine } from './output/printable.ts'
import type { Shell } from './shell.ts'

export interface Question {
  readonly text: string
  /** Whether the terminal does not show what is typed. */
  readonly isSecret?: boolean
}

/**
 * Asks a person at the terminal, one question after another. Lines that are pasted together answer one question each, and a secret one is not
 * shown then either. Throws Interrupted at Ctrl-C, and CommandFailure at the end of the input.
 */
export function ask(shell: Shell, questions: readonly Question[]): Promise<string[]> {
  const { input, columns, errorStream } = shell
  const answers: string[] = []
  const isSecret = () => questions[answers.length]?.isSecret === true
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    if (!isSecret()) errorStream.write(chunk)
    done()
  }
  const terminal = createInterface({
    input,
    output: Object.assign(new Writable({ write }), { columns }),
    terminal: true,
  })
  const pose = () => {
    const text = inOneLine(questions[answers.length]?.text ?? '')
    terminal.setPrompt(text)
    if (isSecret()) shell.say(text)
    else terminal.prompt()
  }
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      terminal.removeAllListeners('close')
      terminal.close()
      settle()
    }
    const fail = (failure: Error) => {
      shell.say('\n')
      end(() => reject(failure))
    }
    terminal.on('SIGINT', () => fail(new Interrupted()))
    terminal.on('close', () => fail(new CommandFailure('the question was not answered, and nothing was changed')))
    terminal.on('line', line => {
      if (answers.length === questions.length) return
      if (isSecret()) shell.say('\n')
      answers.push(line.trim())
      if (answers.length < questions.length) pose()
      else end(() => resolve(answers))
    })
    pose()
  })
}

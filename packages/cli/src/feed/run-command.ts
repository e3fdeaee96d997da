import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { CommandFailure } from '../failure.ts'

/**
 * Runs a command of the shell with a text on its standard input. What it prints goes where the output of this program goes. Throws
 * CommandFailure if it ends with another status than 0.
 */
export async function runCommand(command: string, input: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] })
  // A command may end without having read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [status, signal] = await once(child, 'close')
  if (status !== 0) throw new CommandFailure(`the command ended with ${signal ?? `the status ${status}`}`)
}

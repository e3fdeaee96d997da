import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { CommandFailure } from '../failure.ts'

/** How many seconds a command may take unless the user says otherwise. */
export const commandSeconds = 300

/**
 * Runs a command of the shell with a text on its standard input. What it prints goes where the output of this program goes. It has a process
 * group of its own, which is killed with all that it has started when the seconds are over, or when this program exits. Throws
 * CommandFailure then, and if it ends with another status than 0.
 */
export async function runCommand(command: string, input: string, seconds: number): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], detached: hasGroups })
  let isLate = false
  const kill = () => killGroup(child)
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, 1000 * seconds)
  process.once('exit', kill)
  try {
    // A command may end without having read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const [status, signal] = await once(child, 'close')
    if (isLate) throw new CommandFailure(`the command took longer than ${seconds} s and was killed`)
    if (status !== 0) throw new CommandFailure(`the command ended with ${signal ?? `the status ${status}`}`)
  } finally {
    clearTimeout(timer)
    process.removeListener('exit', kill)
  }
}

/** Windows has no process groups: there the shell alone is killed. */
const hasGroups = process.platform !== 'win32'

function killGroup(child: ChildProcess): void {
  if (!hasGroups || child.pid === undefined) {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

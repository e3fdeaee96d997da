import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

// Fast shutdown ends the sessions and writes everything. Immediate shutdown is like a power failure: the next start recovers.
const signals = [
  { signal: 'SIGINT', patience: 20_000 },
  { signal: 'SIGQUIT', patience: 8_000 },
  { signal: 'SIGKILL', patience: 2_000 },
] as const

/**
 * Stops the server process and waits for its end. Kills a `frozen` one, which answers nobody, at once. Throws when even SIGKILL does not
 * end it.
 */
export async function stopPostmaster(postmaster: ProcessIdentity, frozen = false): Promise<void> {
  for (const { signal, patience } of frozen ? signals.slice(1) : signals) {
    if (!isRunning(postmaster)) return
    send(signal, postmaster.pid)
    for (let waited = 0; waited < patience && isRunning(postmaster); waited += 10) await sleep(10)
  }
  if (isRunning(postmaster)) throw new Error(`The database process ${postmaster.pid} cannot be stopped`)
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process may have ended just now.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process, told apart from a later one with the same number by when it started. */
export interface ProcessIdentity {
  pid: number
  started: string
}

const onLinux = process.platform === 'linux'

/** The living process with this number; a zombie counts as gone. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = onLinux ? startedOnLinux(pid) : startedElsewhere(pid)
  if (started === 'gone') return undefined
  if (started !== undefined) return { pid, started }
  return exists(pid) ? { pid, started: unknownStart } : undefined
}

/** Whether this very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid)
  if (!current) return false
  return [current.started, unknownStart].includes(identity.started) || current.started === unknownStart
}

/** Resolves when the process is gone, noticed within half a second; does not keep Node alive. */
export function endOfProcess(identity: ProcessIdentity): Promise<void> {
  return new Promise(resolve => {
    const timer = setInterval(() => {
      if (isRunning(identity)) return
      clearInterval(timer)
      resolve()
    }, 500)
    timer.unref()
  })
}

/** The program and its arguments, joined by spaces; undefined when there is no such process or it is hidden. */
export function commandLineOf(pid: number): string | undefined {
  if (!onLinux) return ps(pid, 'command=')
  return readIfThere(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trimEnd()
}

// /proc may hide the processes of other users (hidepid): such a process is alive, its start is not known.
const unknownStart = 'unknown'

function startedOnLinux(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may hold anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
  // Ticks are counted from the boot, so they only identify a process together with it.
  return `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim()}:${fields[19]}`
}

function startedElsewhere(pid: number): string | undefined {
  const line = ps(pid, 'stat=', 'lstart=')
  return line?.startsWith('Z') ? 'gone' : line?.replace(/^\S+\s+/, '')
}

function ps(pid: number, ...columns: string[]): string | undefined {
  try {
    const format = columns.flatMap(column => ['-o', column])
    return execFileSync('ps', ['-ww', ...format, '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

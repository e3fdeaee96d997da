import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process. Its start time distinguishes it from a later process with the same number. */
export interface ProcessIdentity {
  pid: number
  started: string
}

const onLinux = process.platform === 'linux'

/** The live process with this number. A zombie counts as ended. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = onLinux ? startedOnLinux(pid) : startedElsewhere(pid)
  if (started === 'gone') return undefined
  if (started !== undefined) return { pid, started }
  return exists(pid) ? { pid, started: unknownStart } : undefined
}

/** Whether this process, and not another with the same number, still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid)
  if (!current) return false
  return [current.started, unknownStart].includes(identity.started) || current.started === unknownStart
}

/** Resolves within half a second after the process has ended. Does not keep Node alive. */
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

// /proc may hide the processes of other users (hidepid). Such a process is alive, but its start time is unknown.
const unknownStart = 'unknown'

function startedOnLinux(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may contain anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
  // Ticks are counted from the boot, so they identify a process only together with the boot id.
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

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

// Reads /proc, which only Linux has; elsewhere the columns stay empty.

const ticksPerSecond = 100
const pageBytes = 4096

/** Seconds of processor time that a server has used, including all child processes, or NaN. */
export async function cpuSeconds(pid: number): Promise<number> {
  return ((await ticksOf(pid)) + (await ticksOfChildren(pid))) / ticksPerSecond
}

/** The same for all processes of a PostgreSQL server: its postmaster accounts for connections that have ended. */
export async function databaseCpuSeconds(postmaster: number): Promise<number> {
  const ticks = await ticksOfChildren(postmaster)
  return ((await statOf(postmaster)).ended + ticks) / ticksPerSecond
}

/** Seconds that a process alone has used, or NaN. */
async function ticksOf(pid: number): Promise<number> {
  const { user, system } = await statOf(pid)
  return user + system
}

/** A child process that has ended since it was found counts as zero. */
async function ticksOfChildren(pid: number): Promise<number> {
  const ticks = await Promise.all((await childrenOf(pid)).map(ticksOf))
  return ticks.filter(each => !Number.isNaN(each)).reduce((sum, each) => sum + each, 0)
}

async function childrenOf(pid: number): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter(name => /^\d+$/u.test(name)).map(Number)
  const parents = await Promise.all(pids.map(async each => (await statOf(each)).parent))
  return pids.filter((_, index) => parents[index] === pid)
}

/** The process id of the server of this cluster. */
export async function postmasterOf(dataDirectory: string): Promise<number> {
  const text = await readFile(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10)
}

/** Bytes of memory that a server uses now, including all child processes, or NaN. */
export async function residentBytes(pid: number): Promise<number> {
  return bytesOfAll([pid, ...(await childrenOf(pid))])
}

async function bytesOfAll(pids: readonly number[]): Promise<number> {
  const bytes = await Promise.all(pids.map(bytesOf))
  return bytes.reduce((sum, each) => sum + each, 0)
}

async function bytesOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? Number.NaN) * pageBytes
}

/** Samples a process and records its peak memory. */
export class MemoryWatch {
  idle = Number.NaN
  most = 0
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    // Finding the processes takes longer than reading their memory, and they stay the same.
    const pids = childrenOf(pid).then(children => [pid, ...children])
    const look = async () => {
      const bytes = await bytesOfAll(await pids)
      if (bytes > this.most) this.most = bytes
    }
    this.#timer = setInterval(look, 100)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

interface Stat {
  readonly parent: number
  readonly user: number
  readonly system: number
  /** The time of child processes that have ended and were waited for. */
  readonly ended: number
}

async function statOf(pid: number): Promise<Stat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is a name in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const number = (index: number) => Number(fields[index] ?? Number.NaN)
  return { parent: number(1), user: number(11), system: number(12), ended: number(13) + number(14) }
}

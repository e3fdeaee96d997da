import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

// What Linux tells of processes; elsewhere there is no /proc, and the columns stay empty.

const ticksPerSecond = 100
const pageBytes = 4096

/** Seconds of processor time that a server has used, with all processes that its first one has started, or NaN. */
export async function cpuSeconds(pid: number): Promise<number> {
  return ((await ticksOf(pid)) + (await ticksOfChildren(pid))) / ticksPerSecond
}

/** Of all the processes of a PostgreSQL server: those of connections that ended are counted by the first of them. */
export async function databaseCpuSeconds(postmaster: number): Promise<number> {
  const ticks = await ticksOfChildren(postmaster)
  return ((await statOf(postmaster)).ended + ticks) / ticksPerSecond
}

/** Those that a process has used by itself, or NaN. */
async function ticksOf(pid: number): Promise<number> {
  const { user, system } = await statOf(pid)
  return user + system
}

/** A child that has ended since it was found counts nothing here. */
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

/** Process id of the server whose cluster this is. */
export async function postmasterOf(dataDirectory: string): Promise<number> {
  const text = await readFile(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10)
}

/** Bytes of memory that a server holds now, with all processes that its first one has started, or NaN. */
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

/** Watches a process and keeps the most memory that it ever held. */
export class MemoryWatch {
  idle = Number.NaN
  most = 0
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    // To find them takes longer than to look at them, and they stay the same.
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
  /** Of children that ended and were waited for. */
  readonly ended: number
}

async function statOf(pid: number): Promise<Stat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is a name in parentheses, which may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const number = (index: number) => Number(fields[index] ?? Number.NaN)
  return { parent: number(1), user: number(11), system: number(12), ended: number(13) + number(14) }
}

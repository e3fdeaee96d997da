import { readFile, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from '../../../bench/usage.ts'
import type { Answered, Observation, Probe, Watch } from './protocol.ts'

// The process that watches a server: it asks each probe on a connection of its own, a fiftieth of a second after the
// last time or as soon as that was answered, and looks at what the process of the server holds.

const paceMilliseconds = 20
/** Who waits longer than this for an answer goes. */
const patienceMilliseconds = 20_000
const always: readonly Probe[] = [{ path: '/livez' }, { path: '/readyz' }]

let stop: (() => Promise<Observation>) | undefined

process.on('message', (told: Watch | 'stop') => void answer(told).then(given => process.send?.(given)))
process.on('disconnect', () => process.exit(0))

async function answer(told: Watch | 'stop'): Promise<Observation | 'started'> {
  if (told !== 'stop') {
    stop = await start(told)
    return 'started'
  }
  if (stop === undefined) throw new Error('nothing is watched')
  return stop()
}

async function start({ url, pid, probes }: Watch): Promise<() => Promise<Observation>> {
  // Asked, the server forgets how long it stood still before.
  await standstillOf(url)
  // From now on the kernel counts the peak of the memory anew.
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  const before = await cpuSeconds(pid)
  const ending = new AbortController()
  const loops = [...always, ...probes].map(probe => askUntil(ending.signal, url, probe))
  const memory = watchMemory(ending.signal, pid)
  return async () => {
    ending.abort()
    const answered = await Promise.all(loops)
    const { megabytes, cpu } = await memory
    return { answered, megabytes, cpuSeconds: cpu - before, standstill: await standstillOf(url) }
  }
}

async function askUntil(ended: AbortSignal, url: string, { path, token }: Probe): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const times: number[] = []
  const failures: Record<string, number> = {}
  while (!ended.aborted) {
    const began = performance.now()
    const outcome = await statusOf(`${url}${path}`, agent, headers)
    const milliseconds = performance.now() - began
    times.push(milliseconds)
    if (outcome !== '200') failures[outcome] = (failures[outcome] ?? 0) + 1
    await sleep(Math.max(1, paceMilliseconds - milliseconds))
  }
  agent.destroy()
  times.sort((one, other) => one - other)
  const share = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN
  return { path, count: times.length, failures, p50: share(0.5), p99: share(0.99), worst: times.at(-1) ?? Number.NaN }
}

function statusOf(url: string, agent: Agent, headers: Record<string, string>): Promise<string> {
  return new Promise(resolve => {
    const request = get(url, { agent, headers, timeout: patienceMilliseconds }, response => {
      response.resume()
      response.once('end', () => resolve(String(response.statusCode)))
      response.once('error', () => resolve('broken'))
    })
    request.once('timeout', () => request.destroy(new Error('timeout')))
    request.once('error', error => resolve('code' in error ? String(error.code) : error.message))
  })
}

/** Looks often, because of a process that has ended nothing can be learned any more. */
async function watchMemory(ended: AbortSignal, pid: number): Promise<{ megabytes: number; cpu: number }> {
  let megabytes = 0
  let cpu = 0
  for (let over = false; !over; await sleep(paceMilliseconds)) {
    over = ended.aborted
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    megabytes = Math.max(megabytes, Number(/^VmHWM:\s+(\d+) kB/mu.exec(status)?.[1] ?? 0) / 1024)
    const used = await cpuSeconds(pid)
    if (used > cpu) cpu = used
  }
  return { megabytes, cpu }
}

async function standstillOf(url: string): Promise<number> {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(patienceMilliseconds) }).then(
    response => response.text(),
    () => '',
  )
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/mu.exec(text)?.[1] ?? Number.NaN) * 1000
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { type Measured, measure, medians, warmUp } from '../compare.ts'
import type { Options } from '../options.ts'
import { percentile } from '../percentile.ts'
import { Driver, startProduct } from '../processes.ts'
import { cpuSeconds, databaseCpuSeconds, residentBytes } from '../usage.ts'
import { Client } from './client.ts'
import { onStage, type Stage } from './stage.ts'

/** As many as may wait in an organization. */
const perOrganization = 10
/** Nearly as many as 500 requests in a process need: one address has at most 500 connections, and the others of the bench need some. */
const organizations = 49
/** How long nothing happens, in seconds; less than requests wait. */
const quietSeconds = 15
const writes = 100

/** Requests that wait for changes: how soon they are answered, what they cost while nothing happens, and what others lose. */
export async function measureWaits(options: Options, outer: Cleanup): Promise<void> {
  await onStage({ contacts: 5000, organizations, connections: organizations }, outer, async (stage, cleanup) => {
    const { scene, postmaster } = stage
    const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
    const clients = stage.clients.map(each => new Client(product, each))
    await measureAnswers(new Client(product, stage.client), stage)
    for (const count of [0, perOrganization, organizations * perOrganization]) {
      const idle = await residentBytes(product.pid)
      const leave = await wait(clients, count)
      const own = await cpuSeconds(product.pid)
      const its = await databaseCpuSeconds(postmaster)
      await sleep(quietSeconds * 1000)
      const each = (seconds: number) => ((1000 * seconds) / quietSeconds).toFixed(1)
      const costs = [each((await cpuSeconds(product.pid)) - own), each((await databaseCpuSeconds(postmaster)) - its)]
      const memory =
        count === 0 ? '' : `; ${(((await residentBytes(product.pid)) - idle) / count / 1024).toFixed(0)} KiB for each`
      console.log(
        `  ${count} wait: ${costs.join(' and ')} ms of processor time a second of server and database${memory}`,
      )
      await leave()
    }
    const driver = new Driver(cleanup)
    const quiet = { ...scene, connections: async (targets: number) => (await scene.connections(targets)).slice(0, 1) }
    const setting = { options, driver, postmaster, scene: quiet }
    await warmUp('get', product, setting)
    const rounds: Record<'alone' | 'beside', Measured[]> = { alone: [], beside: [] }
    for (let round = 0; round < options.rounds; round += 1) {
      rounds.alone.push(await measure('get', product, options.seconds, setting))
      const leave = await wait(clients, organizations * perOrganization)
      rounds.beside.push(await measure('get', product, options.seconds, setting))
      await leave()
    }
    for (const [name, measured] of Object.entries(rounds)) {
      const { cpu, databaseCpu, p50, p99 } = medians(measured)
      const costs = `server ${cpu.toFixed(0)} µs, database ${databaseCpu.toFixed(0)} µs`
      console.log(`  a read ${name}: ${costs}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    }
  })
}

/** The time from the answer to a write to that of a request that waits for it, in milliseconds. */
async function measureAnswers(client: Client, { client: { targets } }: Stage): Promise<void> {
  const [target] = targets
  if (target === undefined) throw new Error('the application has no contact')
  const times: number[] = []
  let expectedVersion = target.version
  for (let count = 0; count < 2 * writes; count += 1) {
    const answer = (await waiting(client)).answer.then(({ data }) => ({ at: performance.now(), data }))
    await sleep(20)
    const { data } = await client.send('PATCH', `/contacts/${target.id}`, {
      expectedVersion,
      jobTitle: `Buyer ${count}`,
    })
    const written = performance.now()
    expectedVersion = data.version
    const { at, data: events } = await answer
    if (events.length !== 1) throw new Error(`${events.length} events instead of one`)
    // Frequently run code is compiled after the first half.
    if (count >= writes) times.push(at - written)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)]
  console.log(
    `  from the answer to a write to that of the request that waits: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  )
}

/** A request that waits for the next event. */
async function waiting(client: Client, signal?: AbortSignal) {
  const { data } = await client.send('GET', '/changes/cursor')
  return { answer: client.send('GET', `/changes?after=${data.cursor}&wait=30`, undefined, signal) }
}

/** So many requests wait from now on, ten of each organization, until the returned function is called. */
async function wait(clients: readonly Client[], count: number): Promise<() => Promise<void>> {
  const left = new AbortController()
  const requests = clients.flatMap(client => Array.from({ length: perOrganization }, () => client)).slice(0, count)
  const ends: Promise<unknown>[] = []
  for (const client of requests) ends.push((await waiting(client, left.signal)).answer.catch(() => {}))
  await sleep(1000)
  return async () => {
    left.abort()
    await Promise.all(ends)
    await sleep(500)
  }
}

import type { Options } from './options.ts'
import type { Driver, Side } from './processes.ts'
import type { OperationName, RoundResult } from './protocol.ts'
import type { Scene } from './scene.ts'
import { cpuSeconds, databaseCpuSeconds } from './usage.ts'

/** One round of one side, and its cost per request. */
export interface Measured extends RoundResult {
  /** Microseconds of processor time, of the server's process and of the whole database. */
  readonly cpu: number
  readonly databaseCpu: number
}

/** One line of the table: medians over the rounds. */
export interface Comparison {
  readonly operation: OperationName
  readonly product: Measured
  readonly bare: Measured
  /** The median ratio of two consecutive rounds. */
  readonly ratio: number
}

/** What the rounds of one side need. */
export interface RoundSetting {
  readonly options: Pick<Options, 'seconds' | 'rounds'>
  readonly scene: Scene
  readonly driver: Driver
  readonly postmaster: number
}

interface Setting extends RoundSetting {
  readonly product: Side
  readonly bare: Side
}

const targetsOfEach = 500
// V8 compiles frequently run code, and the product has far more code to compile than the bare server. Servers run for weeks, so both sides
// are measured after warm-up: after the same number of requests, however long they take.
const warmUpRequests: Readonly<Record<OperationName, number>> = {
  get: 8000,
  list: 4000,
  changes: 4000,
  audit: 4000,
  patch: 5000,
  create: 5000,
  upsert: 5000,
  batch: 300,
  'list-search': 1000,
  'search-part': 500,
  'search-word': 1000,
  'search-two': 500,
  'search-similar': 300,
}
const mostWarmUpRounds = 10

/** Drives both sides alternately; the second one of a round goes first in the next. */
export async function compare(operation: OperationName, setting: Setting): Promise<Comparison> {
  const { product, bare, options } = setting
  for (const side of [product, bare]) await warmUp(operation, side, setting)
  const pairs: { product: Measured; bare: Measured }[] = []
  for (let round = 0; round < options.rounds; round += 1) {
    const order = round % 2 === 0 ? [product, bare] : [bare, product]
    const results = new Map<Side, Measured>()
    for (const side of order) results.set(side, await measure(operation, side, options.seconds, setting))
    const [ours, theirs] = [results.get(product), results.get(bare)]
    if (ours !== undefined && theirs !== undefined) pairs.push({ product: ours, bare: theirs })
  }
  return {
    operation,
    product: medians(pairs.map(pair => pair.product)),
    bare: medians(pairs.map(pair => pair.bare)),
    ratio: median(pairs.map(pair => pair.product.perSecond / pair.bare.perSecond)),
  }
}

/** Drives a side until all its code for the operation is compiled. */
export async function warmUp(operation: OperationName, side: Side, setting: RoundSetting): Promise<void> {
  let requests = 0
  for (let round = 0; round < mostWarmUpRounds && requests < warmUpRequests[operation]; round += 1) {
    requests += (await measure(operation, side, setting.options.seconds, setting)).requests
  }
}

/** One round of one side. */
export async function measure(
  operation: OperationName,
  side: Side,
  seconds: number,
  setting: RoundSetting,
): Promise<Measured> {
  const { scene, driver, postmaster } = setting
  const connections = await scene.connections(targetsOfEach)
  const costs = async () => ({ cpu: await cpuSeconds(side.pid), databaseCpu: await databaseCpuSeconds(postmaster) })
  const before = await costs()
  const result = await driver.run({ url: side.url, operation, seconds, connections })
  await scene.quiet()
  const after = await costs()
  // Each connection had one more request in flight that was served but not awaited.
  const served = result.requests + connections.length
  const each = (total: number) => (total * 1e6) / served
  const cpu = each(after.cpu - before.cpu)
  return { ...result, cpu, databaseCpu: each(after.databaseCpu - before.databaseCpu) }
}

/** The median of each figure. */
export function medians(rounds: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(rounds.map(round => round[name]))
  return {
    requests: of('requests'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? Number.NaN, sorted[Math.floor(middle)] ?? Number.NaN]
  return (low + high) / 2
}

import { median } from './compare.ts'
import { cpuSeconds, databaseCpuSeconds } from './usage.ts'

/** The cost of many records that were written in one operation. */
export interface Cost {
  readonly perSecond: number
  /** Microseconds of processor time per record, of the server and its database. */
  readonly cpu: number
}

/** Runs an operation on that many records, and returns the cost of each for the server and its database. */
export async function costOf(
  count: number,
  { pid, postmaster }: { readonly pid: number; readonly postmaster: number },
  act: () => Promise<void>,
): Promise<Cost> {
  const used = async () => (await cpuSeconds(pid)) + (await databaseCpuSeconds(postmaster))
  const [cpu, began] = [await used(), performance.now()]
  await act()
  const seconds = (performance.now() - began) / 1000
  return { perSecond: count / seconds, cpu: (((await used()) - cpu) * 1_000_000) / count }
}

export function medianCost(costs: readonly Cost[]): Cost {
  return { perSecond: median(costs.map(({ perSecond }) => perSecond)), cpu: median(costs.map(({ cpu }) => cpu)) }
}

export const showCost = ({ perSecond, cpu }: Cost) => `${perSecond.toFixed(0)}/s, ${cpu.toFixed(0)} µs`

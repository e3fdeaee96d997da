import { median } from './compare.ts'
import type { Driver, Side } from './processes.ts'
import type { Connection, OperationName, RoundResult } from './protocol.ts'

const seconds = 2
const operations = ['get', 'create'] as const satisfies readonly OperationName[]
/** The highest allowed ratio to the duration when the organization runs no job. */
const most = 2

interface Beside {
  readonly driver: Driver
  readonly product: Side
  /** An application of the organization other than the one that starts jobs. */
  readonly connection: Connection
  readonly rounds: number
  /** Starts a job of the same organization, and resolves when it is running; `end` resolves when it has ended. */
  startJob(): Promise<{ readonly end: Promise<void> }>
}

/**
 * How long point requests of an organization take while its own job runs, relative to how long they take alone; the two alternate, and the
 * result is the median of the ratios of each pair of rounds. One client sends the requests one after another.
 */
export async function measureBeside({ driver, product, connection, rounds, startJob }: Beside): Promise<void> {
  for (const operation of operations) {
    const round = () => driver.run({ url: product.url, operation, seconds, connections: [connection] })
    await round()
    const pairs: { readonly alone: RoundResult; readonly beside: RoundResult }[] = []
    for (let count = 0; count < rounds; count += 1) {
      const alone = await round()
      const { end } = await startJob()
      const beside = await round()
      await end
      pairs.push({ alone, beside })
    }
    for (const figure of ['p50', 'p99'] as const) {
      const ratio = median(pairs.map(({ alone, beside }) => beside[figure] / alone[figure]))
      const each = pairs
        .map(({ alone, beside }) => `${alone[figure].toFixed(1)} → ${beside[figure].toFixed(1)}`)
        .join(', ')
      const verdict = ratio <= most ? 'meets' : 'above'
      console.log(
        `  ${operation} beside the job, ${figure}: ${ratio.toFixed(2)} times (${verdict} ${most.toFixed(2)}; ms: ${each})`,
      )
    }
  }
}

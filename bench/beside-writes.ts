import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import type { Cleanup } from './cleanup.ts'
import { median } from './compare.ts'
import type { Options } from './options.ts'
import { Driver, startProduct } from './processes.ts'
import type { RoundResult } from './protocol.ts'
import { makeScene } from './scene.ts'

const contacts = 10_000
const writers = 64
const targetsOfEach = 500

/**
 * How long reads of one client of a quiet organization take while another organization creates contacts over 64 connections, and how long
 * they take alone; the two alternate. Compare the difference between two versions of the product: select each with `--product`.
 */
export async function measureBesideWrites(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-beside-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const scene = await makeScene(connection, { contacts, organizations: 2, connections: 2 * writers }, cleanup)
  const { url } = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
  const [reading, writing] = [new Driver(cleanup), new Driver(cleanup)]
  const { seconds } = options
  const rounds: { readonly alone: RoundResult; readonly beside: RoundResult; readonly writes: RoundResult }[] = []
  for (let round = 0; round <= options.rounds; round += 1) {
    const all = await scene.connections(targetsOfEach)
    const busy = all.filter(({ organizationId }) => organizationId === all[0]?.organizationId)
    const quiet = all.filter(({ organizationId }) => organizationId !== all[0]?.organizationId).slice(0, 1)
    const read = () => reading.run({ url, operation: 'get', seconds, connections: quiet })
    const alone = await read()
    const [beside, writes] = await Promise.all([
      read(),
      writing.run({ url, operation: 'create', seconds, connections: busy }),
    ])
    await scene.quiet()
    // In the first round the JIT compiler warms up.
    if (round > 0) rounds.push({ alone, beside, writes })
  }
  const of = (figure: 'p50' | 'p99', side: 'alone' | 'beside') => median(rounds.map(each => each[side][figure]))
  for (const figure of ['p50', 'p99'] as const) {
    console.log(
      `reads, ${figure}: ${of(figure, 'alone').toFixed(1)} ms alone, ${of(figure, 'beside').toFixed(1)} ms beside`,
    )
  }
  console.log(`writes: ${median(rounds.map(({ writes }) => writes.perSecond)).toFixed(0)}/s`)
}

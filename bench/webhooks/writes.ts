import type { Cleanup } from '../cleanup.ts'
import { type Measured, measure, median, medians, type RoundSetting, warmUp } from '../compare.ts'
import type { Options } from '../options.ts'
import { Driver, type Side, startBare, startProduct } from '../processes.ts'
import { onStage } from './stage.ts'
import { createWebhooks, drained, receiverPaths, startReceivers } from './webhooks.ts'

const leastRounds = 10
/** The highest allowed share by which webhooks make a write dearer. */
const most = 0.05

interface Writes {
  readonly side: Side
  readonly setting: RoundSetting
}

/**
 * What a write costs in an organization with ten webhooks, in one without, and on the bare server, alternately. The webhooks wait for another
 * kind of records: the server hears of each write and looks at its events for them, but calls nobody.
 */
export async function measureWrites(options: Options, outer: Cleanup): Promise<void> {
  const counts = { contacts: 10_000, organizations: 2, connections: 16 }
  await onStage(counts, outer, async ({ scene, database, client, postmaster }, cleanup) => {
    const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
    const bare = await startBare(scene.url, cleanup, 1)
    const driver = new Driver(cleanup)
    const { port } = await startReceivers(cleanup)
    await createWebhooks(database, client, { port, kinds: ['deal.*'], paths: receiverPaths })
    const setting = (hasWebhooks: boolean): RoundSetting => {
      const connections = async (targets: number) => {
        const all = await scene.connections(targets)
        return all.filter(({ organizationId }) => (organizationId === client.organizationId) === hasWebhooks)
      }
      return { options, driver, postmaster, scene: { ...scene, connections } }
    }
    const sides: Record<'bare' | 'without' | 'with', Writes> = {
      bare: { side: bare, setting: setting(false) },
      without: { side: product, setting: setting(false) },
      with: { side: product, setting: setting(true) },
    }
    for (const each of Object.values(sides)) await warmUp('create', each.side, each.setting)
    await drained(database)
    const rounds: Record<keyof typeof sides, Measured[]> = { bare: [], without: [], with: [] }
    const names = ['bare', 'without', 'with'] as const
    for (let round = 0; round < Math.max(leastRounds, options.rounds); round += 1) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const { side, setting: each } = sides[name]
        rounds[name].push(await measure('create', side, options.seconds, each))
      }
    }
    for (const name of names) console.log(`  ${name}: ${costsOf(medians(rounds[name]))}`)
    const totals = rounds.with.map((each, index) => totalOf(each) / totalOf(rounds.without[index] ?? each) - 1)
    const more = median(totals)
    const verdict = more <= most ? 'meets' : 'above'
    console.log(
      `  more with webhooks, median of ${totals.length} pairs: ${percent(more)} (${verdict} ${percent(most)})`,
    )
    console.log(`  each pair: ${totals.map(percent).join(', ')}`)
  })
}

const totalOf = ({ cpu, databaseCpu }: Measured) => cpu + databaseCpu
const costsOf = ({ cpu, databaseCpu, perSecond }: Measured) =>
  `server ${cpu.toFixed(0)} µs, database ${databaseCpu.toFixed(0)} µs, ${perSecond.toFixed(0)}/s`
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

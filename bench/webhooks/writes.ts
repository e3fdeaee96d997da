import { setTimeout as sleep } from 'node:timers/promises'
import { Secret } from '../../server/src/kernel/index.ts'
import { pauseWebhook, resumeWebhook } from '../../server/src/settings/index.ts'
import type { Cleanup } from '../cleanup.ts'
import { type Measured, measure, median, medians, warmUp } from '../compare.ts'
import type { Options } from '../options.ts'
import { Driver, productSecret, startProduct } from '../processes.ts'
import { onStage, type Stage } from './stage.ts'
import { createWebhooks, drained, receiverPaths, startReceivers } from './webhooks.ts'

/** One round differs from the next by far more than what is measured. */
const leastRounds = 20
/** The highest allowed share by which webhooks make a write dearer. */
const most = 0.05
/** A server looks at settings and feeds once a second, and a webhook that is paused ends its calls first. */
const noticedAfter = 3000

/** What a round measures: `again` is a second look at the same state, and shows how much two rounds differ by themselves. */
const states = ['paused', 'active', 'again'] as const
type State = (typeof states)[number]

/**
 * What a write costs in an organization with ten webhooks, and in the same one while they pause, in turns. The webhooks wait for another kind
 * of records: the server hears of each write and looks at its events for them, but calls nobody. Nothing but requests costs: PostgreSQL
 * neither vacuums nor writes checkpoints meanwhile.
 */
export async function measureWrites(options: Options, outer: Cleanup): Promise<void> {
  const counts = { contacts: 10_000, organizations: 1, connections: 16 }
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '32GB' }
  const work = async ({ scene, database, client, postmaster }: Stage, cleanup: Cleanup) => {
    const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
    const setting = { options, driver: new Driver(cleanup), postmaster, scene }
    const { port } = await startReceivers(cleanup)
    const ids = await createWebhooks(database, client, { port, kinds: ['deal.*'], paths: receiverPaths })
    await warmUp('create', product, setting)
    const administration = { database, secret: new Secret(productSecret) }
    let isActive = true
    const turn = async (state: State) => {
      if (isActive !== (state === 'active')) {
        isActive = state === 'active'
        const change = isActive ? resumeWebhook : pauseWebhook
        for (const id of ids) await change(administration, { organizationId: client.organizationId, id })
        await sleep(noticedAfter)
      }
      if (isActive) await drained(database)
    }
    const rounds: Record<State, Measured[]> = { paused: [], active: [], again: [] }
    for (let round = 0; round < Math.max(leastRounds, options.rounds); round += 1) {
      for (const state of round % 2 === 0 ? states : states.toReversed()) {
        await turn(state)
        rounds[state].push(await measure('create', product, options.seconds, setting))
      }
    }
    for (const state of states) console.log(`  ${state}: ${costsOf(medians(rounds[state]))}`)
    // The webhooks are active between two rounds in which they pause, so that what grows from round to round does not count.
    const control = rounds.again.map((each, round) => moreThan([rounds.paused[round]], each))
    const totals = rounds.active.map((each, round) => moreThan([rounds.paused[round], rounds.again[round]], each))
    const more = median(totals)
    const verdict = more <= most ? 'meets' : 'above'
    console.log(
      `  more with webhooks, median of ${totals.length} rounds: ${percent(more)} (${verdict} ${percent(most)})`,
    )
    console.log(`  each round: ${totals.map(percent).join(', ')}`)
    console.log(`  more without any, median: ${percent(median(control))}`)
    console.log(`  each round: ${control.map(percent).join(', ')}`)
  }
  await onStage(counts, outer, work, settings)
}

const totalOf = ({ cpu, databaseCpu }: Measured) => cpu + databaseCpu

/** By which share a round costs more than the mean of others. */
function moreThan(others: readonly (Measured | undefined)[], one: Measured): number {
  const totals = others.flatMap(each => (each === undefined ? [] : totalOf(each)))
  return (totalOf(one) * totals.length) / totals.reduce((sum, each) => sum + each, 0) - 1
}

const costsOf = ({ cpu, databaseCpu, perSecond }: Measured) =>
  `server ${cpu.toFixed(0)} µs, database ${databaseCpu.toFixed(0)} µs, ${perSecond.toFixed(0)}/s`
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

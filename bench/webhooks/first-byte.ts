import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import type { Options } from '../options.ts'
import { type Side, startProduct, startRoles } from '../processes.ts'
import { Client } from './client.ts'
import { onStage } from './stage.ts'
import { createWebhooks, drained, startReceivers } from './webhooks.ts'

const perSecond = 50
const most = 1000

type Url = Pick<Side, 'url'>

/** The time from a write to the first byte at the receiver, in one process and with two workers beside the process that answers requests. */
export async function measureFirstByte({ product, nodeArguments, events }: Options, outer: Cleanup): Promise<void> {
  const servers: Record<string, (url: string, cleanup: Cleanup) => Promise<Url>> = {
    'one process': (url, cleanup) => startProduct(product, nodeArguments, url, cleanup),
    'two workers': (url, cleanup) => startRoles(product, ['api', 'worker', 'worker'], url, cleanup),
  }
  const count = Math.min(events, 1000)
  for (const [name, start] of Object.entries(servers)) {
    await onStage({ contacts: 1000, organizations: 1, connections: 1 }, outer, async (stage, cleanup) => {
      const server = await start(stage.scene.url, cleanup)
      const { port, take } = await startReceivers(cleanup)
      // Workers divide the webhooks when both have reported.
      await sleep(2000)
      await createWebhooks(stage.database, stage.client, { port, kinds: ['contact.*'], paths: ['1', '2'] })
      const client = new Client(server, stage.client)
      const write = async () => {
        await client.createSteadily({ count, perSecond, batch: 1 })
        await drained(stage.database)
        return take()
      }
      // Frequently run code is compiled by then.
      await write()
      const { delivered, p50, p99, doubled } = await write()
      const verdict = p99 <= most ? 'meets' : 'above'
      console.log(
        `  ${name}: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${verdict} ${most}); ${delivered} deliveries, ${doubled} doubled`,
      )
    })
  }
}

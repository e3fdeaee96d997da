import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Secret } from '../../server/src/kernel/index.ts'
import { Outbound } from '../../server/src/kernel/outbound/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { eventSources } from '../../server/src/modules.ts'
import { createWebhook } from '../../server/src/settings/index.ts'
import type { Cleanup } from '../cleanup.ts'
import { forkTypeScript, productSecret } from '../processes.ts'
import type { Connection } from '../protocol.ts'
import type { ReceiverFigures } from './protocol.ts'

/** Ten receivers, of which the last three are broken. */
export const receiverPaths = ['1', '2', '3', '4', '5', '6', '7', 'hangs', 'fails', 'resets'] as const

export interface Receivers {
  readonly port: number
  /** What they have received since the previous call. */
  take(): Promise<ReceiverFigures>
}

/** Starts the receivers in a process of their own, on loopback. */
export async function startReceivers(cleanup: Cleanup): Promise<Receivers> {
  const child = forkTypeScript(new URL('./receivers.ts', import.meta.url), cleanup)
  const [listening]: { port: number }[] = await once(child, 'message')
  if (listening === undefined) throw new Error('the receivers did not start')
  return {
    port: listening.port,
    async take() {
      child.send('take')
      const [figures]: ReceiverFigures[] = await once(child, 'message')
      if (figures === undefined) throw new Error('the receivers did not answer')
      return figures
    },
  }
}

const countTaken = statement(
  'bench_count_taken_webhooks',
  `select (select count(*) from webhook_subscriptions s where s.enabled)::integer as webhooks, count(*)::integer as taken
     from webhook_positions`,
)

/** Creates a webhook for each path, which is told of events from now on, and waits until a worker has it. Returns their ids. */
export async function createWebhooks(
  database: Database,
  { organizationId, applicationId }: Pick<Connection, 'organizationId' | 'applicationId'>,
  {
    port,
    kinds,
    paths,
  }: { readonly port: number; readonly kinds: readonly string[]; readonly paths: readonly string[] },
): Promise<string[]> {
  const outbound = new Outbound({ allowedNetworks: ['127.0.0.0/8'] })
  const administration = { database, secret: new Secret(productSecret), eventSources, outbound }
  const ids: string[] = []
  for (const path of paths) {
    const input = { name: `To ${path}`, url: `http://127.0.0.1:${port}/${path}`, kinds }
    const { id } = await createWebhook(administration, { organizationId, applicationId, ...input })
    ids.push(id)
  }
  for (;;) {
    const [row] = await database.query(countTaken, [])
    if (Number(row?.taken) >= Number(row?.webhooks)) return ids
    await sleep(100)
  }
}

const countBehind = statement(
  'bench_count_behind',
  `select coalesce(max(f.seq - p.settled_seq), 0)::integer as behind
     from webhook_positions p join organization_feed f on f.organization_id = p.organization_id
    where p.state = 'active'`,
)

/** Waits until the webhooks whose receivers work have everything. */
export async function drained(database: Database): Promise<void> {
  for (;;) {
    const [row] = await database.query(countBehind, [])
    if (Number(row?.behind) === 0) return
    await sleep(100)
  }
}

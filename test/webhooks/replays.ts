import { cancelReplay, replayWebhook } from '../../server/src/settings/index.ts'
import { type AskedReplay, eventsToReplay } from '../../server/src/webhooks/replay-range.ts'
import { type ReplayState, readReplays } from '../../server/src/webhooks/replay-state.ts'
import { until } from '../support/waiting.ts'
import type { Surroundings } from './support.ts'

/** The events from one number to another. */
export const range = (from: number, to: number) => ({ from: { seq: from }, to: { seq: to } })

/** Begins a replay as the command does; `only` are events of the feed by their numbers. Throws the reason if it is refused. */
export async function aReplay(
  { api, organization, clock }: Surroundings,
  id: string,
  asked: AskedReplay | { readonly only: readonly number[] },
): Promise<string> {
  const address = { organizationId: organization.id, id }
  const [first = 1, last = first] = 'only' in asked ? [Math.min(...asked.only), Math.max(...asked.only)] : []
  const wanted = 'only' in asked ? range(first, last) : asked
  const events = await eventsToReplay(api.test.database, address, wanted)
  if ('why' in events) throw new Error(events.why)
  const chosen = 'only' in asked ? { ...events, only: asked.only } : events
  return (await replayWebhook({ ...api.test, clock }, address, chosen)).id
}

/** Ends a replay as the command does. */
export async function canceled(
  { api, organization, clock }: Surroundings,
  id: string,
  replayId: string,
): Promise<void> {
  await cancelReplay({ ...api.test, clock }, { organizationId: organization.id, id }, replayId)
}

/** The replays of a webhook as `webhook show` lists them. */
export function replaysOf({ api, organization }: Surroundings, id: string): Promise<ReplayState[]> {
  return readReplays(api.test.database, organization.id, id)
}

/** Waits until a replay of the webhook has these values. */
export async function untilReplay(around: Surroundings, id: string, wanted: Partial<ReplayState>): Promise<void> {
  await until(`a replay ${JSON.stringify(wanted)}`, async () => {
    const replays = await replaysOf(around, id)
    return replays.some(each => Object.entries(wanted).every(([name, value]) => Object(each)[name] === value))
  })
}

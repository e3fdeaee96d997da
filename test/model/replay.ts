import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import type { Action } from './action.ts'
import { effects } from './effects.ts'
import { differences, type Event, World } from './world.ts'

/** Every event of the feed from its start, page by page. */
export async function readFeed(client: Client, start: string): Promise<JsonObject[]> {
  const events: JsonObject[] = []
  for (let after = start; ; ) {
    const page = await client.get(`/changes?after=${encodeURIComponent(after)}&limit=100`)
    if (page.status !== 200) throw new Error(`the feed answered ${page.status}`)
    events.push(...page.items)
    after = String(page.meta.nextCursor)
    if (page.meta.hasMore !== true) return events
  }
}

/**
 * Carries out on a model, in the order of the feed, what the answers said; the findings say where feed, answers and
 * model do not agree. `World` then holds every version that there was.
 */
export function replay(feed: readonly JsonObject[], actions: readonly Action[]): { world: World; findings: string[] } {
  const byRequest = new Map(actions.map(action => [action.requestId, action]))
  const world = new World()
  const findings: string[] = []
  const told = new Set<string>()
  for (const events of transactionsOf(feed)) {
    const requestId = String(events[0]?.requestId)
    const action = byRequest.get(requestId)
    const effect = effects[action?.name ?? '']
    if (action === undefined || effect === undefined || action.status >= 300) {
      findings.push(`events of a request that had no effect: ${JSON.stringify([action, events])}`)
      continue
    }
    told.add(requestId)
    try {
      effect(world, action)
    } catch (error) {
      findings.push(`${JSON.stringify(action)} cannot have been: ${String(error)}`)
      continue
    }
    const [found, due] = [events.map(eventOf), world.finish()].map(each => each.map(textOf).sort())
    if (String(found) !== String(due)) findings.push(`${JSON.stringify(action)} told ${found}, should have told ${due}`)
  }
  for (const action of actions) if (!told.has(action.requestId)) findings.push(...withoutEffect(action))
  return { world, findings }
}

/** Events of one transaction stand together. */
function transactionsOf(feed: readonly JsonObject[]): JsonObject[][] {
  const transactions: JsonObject[][] = []
  for (const event of feed) {
    const last = transactions.at(-1)
    if (last !== undefined && last[0]?.transactionId === event.transactionId) last.push(event)
    else transactions.push([event])
  }
  return transactions
}

function eventOf(event: JsonObject): Event {
  // The surviving record of a merge is updated by it.
  const operation = event.operation === 'merged' ? 'updated' : String(event.operation)
  const { resourceType, resourceId, version } = event
  return { kind: String(resourceType), id: String(resourceId), operation, version: Number(version) }
}

function textOf({ kind, id, operation, version }: Event): string {
  return `${kind} ${id} ${operation} ${version}`
}

/** Names of requests that change something whenever they succeed. */
const effective = /^(create|add|remove|anonymize|merge)/u

/** A success that left no event must have changed nothing. */
function withoutEffect({ name, method, path, status, body, data, meta, items }: Action): string[] {
  if (status >= 300 || method === 'GET' || name === 'preview') return []
  if (name === 'batch') return items.some(({ status: each }) => each === 201) ? [`no events of ${path}`] : []
  if (effective.test(name)) return [`no events of ${method} ${path}`]
  const version = data.version ?? meta.version ?? body?.expectedVersion
  return version === body?.expectedVersion && status === 200 ? [] : [`no events of ${method} ${path} (${status})`]
}

/** Answers that no version of the model explains. */
export function unexplained(world: World, seen: readonly { data: JsonObject; by: string }[]): string[] {
  return seen.flatMap(({ data, by }) => {
    const state = world.history.get(`${data.id}@${data.version}`)
    if (state === undefined) return [`${by} answered ${data.id} with version ${data.version}, which there never was`]
    const different = differences(data, state)
    return different.length === 0 ? [] : [`${by} answered ${data.id}@${data.version}: ${JSON.stringify(different)}`]
  })
}

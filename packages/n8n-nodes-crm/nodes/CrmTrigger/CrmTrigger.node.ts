import {
  type IDataObject,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
  sleep,
} from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import { callApi } from '../api/call.ts'
import { isWanted, kindsProperty, mayWantClosing, recordsOf } from '../api/kinds.ts'
import { closingBy, statusOf } from './closings.ts'
import { type FeedPage, proved } from './feed.ts'
import { type Place, pollOnce } from './polls.ts'

/** How many events a poll takes; the next one goes on behind them. */
const mostEvents = 1000

/** How many seconds a trial waits for an event. */
const longestTrial = 30

/** Begins a workflow with changes of records. It remembers its place in the change feed, so that it misses nothing while n8n is down. */
export class CrmTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'CRM Trigger',
    name: 'crmTrigger',
    icon: { light: 'file:../../icons/crm.svg', dark: 'file:../../icons/crm.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["kinds"].join(", ") || "all events"}}',
    description: 'Begin a workflow with changes of contacts, companies, deals and tasks',
    defaults: { name: 'CRM Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'crmApi', required: true }],
    properties: [
      kindsProperty,
      {
        displayName: 'Include Record',
        name: 'includeRecord',
        type: 'boolean',
        default: true,
        description: 'Whether each event has the record as it is now, which may be later than the event',
      },
    ],
  }

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    const items = this.getMode() === 'manual' ? await nextEvents(this) : await eventsSince(this)
    return items.length === 0 ? null : [items.map(json => ({ json }))]
  }
}

/** The events since the last poll; none the first time, which only takes the place where the feed is. */
async function eventsSince(node: IPollFunctions): Promise<IDataObject[]> {
  const key = `${node.getWorkflow().id}/${node.getNode().id}`
  const found = await pollOnce(key, node.getWorkflowStaticData('node'), async from =>
    from === null ? { found: [], to: await presentPlace(node) } : follow(node, from),
  )
  return found ?? []
}

/** The events after a place, and where they end. */
async function follow(
  node: IPollFunctions,
  from: Place,
): Promise<{ readonly found: IDataObject[]; readonly to: Place }> {
  const found: IDataObject[] = []
  let looked = 0
  let to = from
  for (let hasMore = true; hasMore && looked < mostEvents; ) {
    try {
      const page = await readPage(node, to)
      found.push(...(await eventsOf(node, page.events)))
      looked += page.events.length
      ;({ hasMore } = page)
      to = { cursor: page.cursor, toSeq: page.toSeq }
    } catch (error) {
      // Events before the new place are gone: the workflow is told, and goes on from here.
      if (statusOf(error) !== '410') throw new NodeApiError(node.getNode(), error as JsonObject)
      found.push({ kind: 'feed.reset', message: 'Events are gone: read all records again.', lostAfter: to.toSeq })
      to = await presentPlace(node)
      hasMore = false
    }
  }
  return { found, to }
}

/** The next events that are wanted, for a trial of the node. Throws if none comes within half a minute. */
async function nextEvents(node: IPollFunctions): Promise<IDataObject[]> {
  const end = performance.now() + 1000 * longestTrial
  const secondsLeft = () => Math.ceil((end - performance.now()) / 1000)
  let place = await presentPlace(node)
  for (let left = secondsLeft(); left > 0; left = secondsLeft()) {
    const page = await readPage(node, place, Math.min(longestTrial, left))
    const found = await eventsOf(node, page.events)
    if (found.length > 0) return found
    // A server on which too many wait answers at once.
    if (page.events.length === 0 && !page.hasMore && !page.hasWaited) await sleep(1000)
    place = page
  }
  const message = `No event came within ${longestTrial} seconds. Fetch again, and change a record meanwhile.`
  throw new NodeOperationError(node.getNode(), message)
}

async function presentPlace(node: IPollFunctions): Promise<Place> {
  const { data } = await callApi(node, { method: 'GET', path: '/api/v1/crm/changes/cursor' })
  if (!isObject(data) || typeof data.cursor !== 'string')
    throw new NodeOperationError(node.getNode(), 'The server does not tell the position of the change feed')
  return { cursor: data.cursor, toSeq: null }
}

async function readPage(node: IPollFunctions, { cursor: after, toSeq: before }: Place, wait = 0): Promise<FeedPage> {
  const query = new URLSearchParams({ after, limit: '100', resourceTypes: recordsOf(chosenKinds(node)).join(',') })
  if (wait > 0) query.set('wait', String(wait))
  if (node.getNodeParameter('includeRecord', true) === true) query.set('include', 'record')
  const answer = await callApi(node, { method: 'GET', path: `/api/v1/crm/changes?${query.toString()}` })
  try {
    return proved(answer, before)
  } catch (error) {
    throw new NodeOperationError(node.getNode(), error as Error)
  }
}

/** The events of the chosen kinds. The end of a deal comes behind the event that has brought it about. */
async function eventsOf(node: IPollFunctions, events: readonly IDataObject[]): Promise<IDataObject[]> {
  const kinds = chosenKinds(node)
  const wanted: IDataObject[] = []
  for (const event of events) {
    if (isWanted(String(event.kind), kinds)) wanted.push(event)
    const closing = mayWantClosing(kinds) ? await closingBy(node, event) : null
    if (closing !== null && isWanted(closing, kinds)) wanted.push({ ...event, kind: closing })
  }
  return wanted
}

const chosenKinds = (node: IPollFunctions) => node.getNodeParameter('kinds', []) as string[]

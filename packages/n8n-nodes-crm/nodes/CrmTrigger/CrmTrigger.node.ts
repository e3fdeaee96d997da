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
} from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import { callApi } from '../api/call.ts'
import { hasClosing, kindsProperty, recordsOf } from '../api/kinds.ts'
import { closingBy, statusOf } from './closings.ts'
import { type FeedPage, proved } from './feed.ts'

/** How many events a poll takes; the next one goes on behind them. */
const mostEvents = 1000

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
    const isTrial = this.getMode() === 'manual'
    const memory = this.getWorkflowStaticData('node')
    const items: IDataObject[] = []
    if (isTrial || typeof memory.cursor !== 'string') {
      const cursor = await presentCursor(this)
      if (!isTrial) Object.assign(memory, { cursor, toSeq: null })
      else items.push(...(await eventsOf(this, (await readPage(this, cursor, null, 30)).events)))
      if (isTrial && items.length === 0)
        throw new NodeOperationError(
          this.getNode(),
          'No event came within 30 seconds. Fetch again, and change a record meanwhile.',
        )
    } else items.push(...(await follow(this, memory)))
    return items.length === 0 ? null : [items.map(json => ({ json }))]
  }
}

/** The events since the place that is remembered, which moves behind them when all of them have been read. */
async function follow(node: IPollFunctions, memory: IDataObject): Promise<IDataObject[]> {
  const items: IDataObject[] = []
  let looked = 0
  let [cursor, toSeq] = [String(memory.cursor), typeof memory.toSeq === 'number' ? memory.toSeq : null]
  for (let hasMore = true; hasMore && looked < mostEvents; ) {
    try {
      const page = await readPage(node, cursor, toSeq)
      items.push(...(await eventsOf(node, page.events)))
      looked += page.events.length
      ;({ cursor, toSeq, hasMore } = page)
    } catch (error) {
      // Events before the new place are gone: the workflow is told, and goes on from here.
      if (statusOf(error) !== '410') throw new NodeApiError(node.getNode(), error as JsonObject)
      items.push({ kind: 'feed.reset', message: 'Events are gone: read all records again.', lostAfter: toSeq })
      ;[cursor, toSeq, hasMore] = [await presentCursor(node), null, false]
    }
  }
  Object.assign(memory, { cursor, toSeq })
  return items
}

async function presentCursor(node: IPollFunctions): Promise<string> {
  const { data } = await callApi(node, { method: 'GET', path: '/api/v1/crm/changes/cursor' })
  if (!isObject(data) || typeof data.cursor !== 'string')
    throw new NodeOperationError(node.getNode(), 'The server does not tell the position of the change feed')
  return data.cursor
}

async function readPage(node: IPollFunctions, after: string, before: number | null, wait = 0): Promise<FeedPage> {
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
    if (kinds.length === 0 || kinds.includes(String(event.kind))) wanted.push(event)
    const closing = hasClosing(kinds) ? await closingBy(node, event) : null
    if (closing !== null && kinds.includes(closing)) wanted.push({ ...event, kind: closing })
  }
  return wanted
}

const chosenKinds = (node: IPollFunctions) => node.getNodeParameter('kinds', []) as string[]

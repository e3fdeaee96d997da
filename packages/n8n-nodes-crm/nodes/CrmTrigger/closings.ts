import { type IDataObject, type IPollFunctions, type JsonObject, NodeApiError } from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import { callApi } from '../api/call.ts'
import { isClosing } from '../api/kinds.ts'

/**
 * The kind of the end of a deal, `deal.won` for example, that an event of the feed has brought about: null if none. The history of the deal
 * tells it, so that a deal that was reopened since is found as well. A deal that is gone has no history.
 */
export async function closingBy(node: IPollFunctions, event: IDataObject): Promise<string | null> {
  if (!mayClose(event)) return null
  const path = `/api/v1/crm/deals/${encodeURIComponent(String(event.resourceId))}/events?limit=100`
  let cursor: unknown = null
  do {
    const suffix = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : ''
    const { data, meta } = await readHistory(node, path + suffix)
    const history = Array.isArray(data) ? data.filter(isObject) : []
    const closing = history.find(({ kind, dealVersion }) => dealVersion === event.version && isClosing(String(kind)))
    if (closing !== undefined) return String(closing.kind)
    const oldest = history.at(-1)
    if (oldest === undefined || Number(oldest.dealVersion) < Number(event.version)) return null
    cursor = meta.nextCursor
  } while (typeof cursor === 'string')
  return null
}

function mayClose({ resourceType, operation, changedFields }: IDataObject): boolean {
  if (resourceType !== 'deal') return false
  return operation === 'created' || (Array.isArray(changedFields) && changedFields.some(field => field === 'status'))
}

async function readHistory(node: IPollFunctions, path: string) {
  try {
    return await callApi(node, { method: 'GET', path })
  } catch (error) {
    if (statusOf(error) === '404') return { data: [], meta: {} }
    throw new NodeApiError(node.getNode(), error as JsonObject)
  }
}

/** The status that the API has answered, in the error of a call. */
export function statusOf(error: unknown): unknown {
  return isObject(error) || error instanceof Error ? Reflect.get(error, 'httpCode') : undefined
}

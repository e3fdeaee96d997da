import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type IPollFunctions,
  type JsonObject,
  NodeApiError,
  sleep,
} from 'n8n-workflow'
import { isObject, restBefore } from './answer.ts'

/** A request to the API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly body?: IDataObject
  readonly key?: string
}

/** What the API answers to a success. */
export interface ApiAnswer {
  readonly data: unknown
  readonly meta: IDataObject
}

/** A connection that is never answered would hold the workflow for ever. */
const timeout = 60_000

/**
 * Sends a request with the credentials of the node. While the server asks for a rest of at most a minute, it waits and repeats, up to five
 * times in all: nothing was executed then, or the key protects it.
 *
 * @throws NodeApiError with the code, the message and the details of the API, or because there was no answer.
 */
export async function callApi(
  node: IExecuteFunctions | IPollFunctions,
  { method, path, body, key }: ApiRequest,
  itemIndex?: number,
): Promise<ApiAnswer> {
  const { url } = await node.getCredentials<{ url: string }>('crmApi', itemIndex)
  const options: IHttpRequestOptions = {
    method,
    url: `${url.replace(/\/+$/, '')}${path}`,
    headers: { Accept: 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
    ...(body !== undefined && { body }),
    json: true,
    timeout,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  }
  for (let attempt = 1; ; attempt++) {
    const response = await send(node, options, itemIndex)
    const { statusCode: status, headers, body: answer } = response
    if (status >= 200 && status <= 299) {
      const { data, meta } = isObject(answer) ? answer : {}
      return { data, meta: isObject(meta) ? meta : {} }
    }
    const rest = attempt < 5 ? restBefore(status, headers, answer) : null
    if (rest === null) throw refusal(node, status, answer, itemIndex)
    await sleep(rest * 1000)
  }
}

async function send(
  node: IExecuteFunctions | IPollFunctions,
  options: IHttpRequestOptions,
  itemIndex: number | undefined,
): Promise<{ statusCode: number; headers: IDataObject; body: unknown }> {
  try {
    return await node.helpers.httpRequestWithAuthentication.call(node, 'crmApi', options)
  } catch (error) {
    throw new NodeApiError(node.getNode(), error as JsonObject, {
      ...(itemIndex !== undefined && { itemIndex }),
      message: `The CRM server did not answer: ${error instanceof Error ? error.message : 'the connection failed'}`,
    })
  }
}

/** The failure as n8n shows it: the code and the message, and below them what is wrong where. */
function refusal(
  node: IExecuteFunctions | IPollFunctions,
  status: number,
  answer: unknown,
  itemIndex: number | undefined,
): NodeApiError {
  const error = isObject(answer) && isObject(answer.error) ? answer.error : {}
  const code = typeof error.code === 'string' ? error.code : `status ${status}`
  const message = typeof error.message === 'string' ? error.message : 'The server refused the request.'
  const details = isObject(error.details) ? error.details : {}
  const issues = Array.isArray(details.issues) ? details.issues.filter(isObject) : []
  const lines = [
    ...issues.map(issue => `${String(issue.path)}: ${String(issue.message)}`),
    ...(issues.length === 0 && Object.keys(details).length > 0 ? [JSON.stringify(details)] : []),
    ...(typeof error.requestId === 'string' ? [`Request ${error.requestId}`] : []),
  ]
  const response: JsonObject = { code, message, status, details: JSON.stringify(details) }
  return new NodeApiError(node.getNode(), response, {
    ...(itemIndex !== undefined && { itemIndex }),
    message: `${code}: ${message}`,
    description: lines.join('\n'),
    httpCode: String(status),
  })
}

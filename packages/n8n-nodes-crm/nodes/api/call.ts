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

/** What the API answers to a success. A page has an array, and tells where the next one begins. */
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
 * A redirect is not followed: it would lose the body, or take the token to another server.
 *
 * @throws NodeApiError with the code, the message and the details of the API, because there was no answer, or with `unexpected_answer` if
 * the answer is not one of the API.
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
    disableFollowRedirect: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  }
  for (let attempt = 1; ; attempt++) {
    const response = await send(node, options, itemIndex)
    const { statusCode: status, headers, body: answer } = response
    if (status >= 200 && status <= 299) {
      if (!isObject(answer) || answer.data === undefined) throw unexpectedAnswer(node, status, itemIndex)
      return { data: answer.data, meta: isObject(answer.meta) ? answer.meta : {} }
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
    // n8n may have made a NodeApiError already, which another one would return unchanged. Its text for ECONNREFUSED would replace a message.
    const reason = error instanceof Error ? error.message : 'the connection failed'
    throw failure(node, itemIndex, { code: 'no_answer', message: 'The CRM server did not answer', reason })
  }
}

/** The failure of a success that is not one of the API: of a proxy, of a login page, of another server. */
export function unexpectedAnswer(
  node: IExecuteFunctions | IPollFunctions,
  status: number,
  itemIndex?: number,
): NodeApiError {
  return failure(node, itemIndex, {
    code: 'unexpected_answer',
    message: 'The answer is not one of the CRM API. Check the URL of the credential.',
    reason: `Status ${status}`,
    status,
  })
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
  const otherwise =
    status < 400
      ? 'The server redirects, which is not followed. Check the URL of the credential.'
      : 'The server refused the request.'
  const told = typeof error.message === 'string' ? error.message : otherwise
  const message = code === 'idempotency_conflict' ? `${told} ${onConflict}` : told
  const details = isObject(error.details) ? error.details : {}
  const issues = Array.isArray(details.issues) ? details.issues.filter(isObject) : []
  const lines = [
    ...issues.map(issue => `${String(issue.path)}: ${String(issue.message)}`),
    ...(issues.length === 0 && Object.keys(details).length > 0 ? [JSON.stringify(details)] : []),
    ...(typeof error.requestId === 'string' ? [`Request ${error.requestId}`] : []),
  ]
  return failure(node, itemIndex, { code, message, reason: lines.join('\n'), status })
}

/** What a workflow does that repeats a request with other values. */
const onConflict =
  'A repetition within the execution must send the same values: take no $now and no random value in the fields of this node.'

interface Failure {
  readonly code: string
  readonly message: string
  readonly reason: string
  readonly status?: number
}

function failure(
  node: IExecuteFunctions | IPollFunctions,
  itemIndex: number | undefined,
  { code, message, reason, status }: Failure,
): NodeApiError {
  const made = new NodeApiError(node.getNode(), { code, message } as JsonObject, {
    ...(itemIndex !== undefined && { itemIndex }),
    message: `${code}: ${message}`,
    description: reason,
    httpCode: status === undefined ? code : String(status),
  })
  made.context.code = code
  if (status !== undefined) made.context.status = status
  return made
}

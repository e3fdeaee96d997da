import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isRecord, memberOf, textOrBlank } from './json.ts'
import { Refusal } from './refusal.ts'

type Answer = { status: number; data: unknown; meta: unknown }

export type Client = {
  get(path: string): Promise<Answer>
  post(path: string, body: object): Promise<Answer>
  patch(path: string, body: object): Promise<Answer>
  /** A form with a file. */
  upload(path: string, form: FormData): Promise<Answer>
}

export type ClientOptions = {
  baseUrl: string
  token: string
  /** How long one request is retried before the program gives up: longer than a restart of the server takes. */
  patienceMilliseconds?: number
  onWait?: (reason: string, milliseconds: number) => void
}

const attemptTimeout = 60_000
const firstPause = 250
const longestPause = 15_000

export function createClient({ baseUrl, token, patienceMilliseconds = 300_000, onWait }: ClientOptions): Client {
  async function request(method: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (body) {
      // `fetch` sets the content type of a form, because it chooses the boundary.
      if (!(body instanceof FormData)) headers['content-type'] = 'application/json'
      // Created once, before the first attempt: a retry after a lost answer gets that answer, not a second effect.
      headers['idempotency-key'] = randomUUID()
    }
    const deadline = Date.now() + patienceMilliseconds

    for (let attempt = 0; ; attempt++) {
      try {
        return await send(method, path, headers, body)
      } catch (error) {
        const wait = pauseBeforeRetry(error, attempt)
        if (wait === null || Date.now() + wait > deadline) throw error
        onWait?.(messageOf(error), wait)
        await pause(wait)
      }
    }
  }

  async function send(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
    const name = `${method} ${path}`
    const { response, text } = await reach(name, `${baseUrl}/api/v1/crm${path}`, {
      method,
      headers,
      body: body instanceof FormData ? body : body && JSON.stringify(body),
      // A redirect can turn a POST into a GET.
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptTimeout),
    })
    const envelope = parseJson(text)
    if (!response.ok) throw new Refusal(name, response, envelope)
    if (!isRecord(envelope)) throw new Error(`${name} did not answer JSON. Is CRM_BASE_URL the address of a CRM?`)
    return { status: response.status, data: envelope.data, meta: envelope.meta }
  }

  return {
    get: path => request('GET', path),
    post: (path, body) => request('POST', path, body),
    patch: (path, body) => request('PATCH', path, body),
    upload: (path, form) => request('POST', path, form),
  }
}

/** There was no answer: refused, reset or timed out. It is unknown whether the request took effect. */
class Unreachable extends Error {}

async function reach(name: string, url: string, options: RequestInit) {
  try {
    const response = await fetch(url, options)
    return { response, text: await response.text() }
  } catch (error) {
    const cause = memberOf(error, 'cause')
    throw new Unreachable(`${name} got no answer: ${textOrBlank(cause, 'code') || messageOf(error)}`)
  }
}

/** Null if a retry cannot help. */
function pauseBeforeRetry(error: unknown, attempt: number): number | null {
  // Exponential backoff with full jitter, so that many clients do not retry at the same moment.
  const backoff = Math.random() * Math.min(longestPause, firstPause * 2 ** attempt)
  if (error instanceof Unreachable) return backoff
  if (!(error instanceof Refusal)) return null
  const isTemporary = error.status === 429 || error.status >= 500 || error.code === 'idempotency_in_progress'
  return isTemporary ? (error.retryAfterMilliseconds ?? 0) + backoff : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

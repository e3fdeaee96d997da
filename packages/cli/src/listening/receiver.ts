import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { UsageError } from '../failure.ts'

/** What has come of a call. */
export interface ReceiverAnswer {
  /** 0 if there was none. */
  readonly status: number
  /** Why there was none; null if there was one. */
  readonly failure: string | null
  readonly milliseconds: number
}

/** As the server has it. */
const patience = 15_000
const readBytes = 4_096

/** A program that receives webhooks, such as one under development on this machine. Keeps one connection. */
export class Receiver {
  readonly #url: URL
  readonly #agent: Agent | TlsAgent

  /** Throws UsageError for a text that is no address. */
  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (
      parsed === null ||
      !/^https?:$/u.test(parsed.protocol) ||
      parsed.username + parsed.password + parsed.hash !== ''
    )
      throw new UsageError('--forward-to is an http or https address, without user, password and fragment')
    this.#url = parsed
    const options = { keepAlive: true, maxSockets: 1 }
    this.#agent = parsed.protocol === 'https:' ? new TlsAgent(options) : new Agent(options)
  }

  /** Posts a message once. Waits 15 s for the status, and reads no more than 4 KiB of the answer. */
  async post(body: string, headers: Readonly<Record<string, string>>): Promise<ReceiverAnswer> {
    const begun = performance.now()
    const told = (status: number, failure: string | null) => ({
      status,
      failure,
      milliseconds: Math.round(performance.now() - begun),
    })
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(), patience)
    try {
      const options = {
        method: 'POST',
        agent: this.#agent,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      }
      const send = this.#url.protocol === 'https:' ? tlsRequest : request
      const call = send(this.#url, { ...options, signal: ending.signal })
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        // An error after the status changes nothing.
        call.once('response', resolve).on('error', reject)
      })
      call.end(body)
      const answer = await answered
      const result = told(answer.statusCode ?? 0, null)
      await leave(answer)
      return result
    } catch (error) {
      if (ending.signal.aborted) return told(0, `no answer within ${patience / 1000} s`)
      return told(0, reasonOf(error))
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Reads an answer to its end, so that its connection is kept, unless it is long or slow. The status has decided already. */
async function leave(answer: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of answer) {
      if (Buffer.isBuffer(chunk)) bytes += chunk.length
      if (bytes > readBytes) answer.destroy()
    }
  } catch {
    answer.destroy()
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

import { type Answer, answerOf } from './answer.ts'
import { type Caller, type Calling, send } from './call.ts'
import { type Clock, realClock } from './clock.ts'
import type { Log } from './log.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { WriteOptions } from './options.ts'
import { environmentVariable, runtimeName } from './runtime.ts'
import { version } from './version.ts'

export interface ClientOptions {
  /** The address of the server, such as `https://crm.example.org`. */
  readonly url: string
  /** A token of the application. No error and no log entry of the client contains it. */
  readonly token: string
  /** The milliseconds of an attempt: 30,000 unless given. */
  readonly timeout?: number
  /** The milliseconds of a call with all its attempts and the waits between them: 60,000 unless given. */
  readonly deadline?: number
  /** How often a call is sent at most: 5 times unless given. */
  readonly attempts?: number
  /** The bytes of the longest answer that is read: 256 MiB unless given. */
  readonly maxAnswerBytes?: number
  /** Is told of each attempt. It must not throw. */
  readonly log?: Log
  /** Replaces `fetch`: whatever has to happen to each request and answer. It has to respect the signal. */
  readonly fetch?: typeof fetch
  /** Replaces the time, in tests. */
  readonly clock?: Clock
  /** Replaces `Math.random`, in tests. */
  readonly random?: () => number
}

/** What the environment does not name. */
export type EnvironmentOptions = Omit<ClientOptions, 'url' | 'token'>

/** What every call goes through. Many calls may run at the same time. */
export class Client implements Caller {
  readonly #calling: Calling

  /** Throws TypeError for options with which no call could succeed. */
  constructor(options: ClientOptions) {
    this.#calling = {
      base: baseOf(options.url),
      headers: headersOf(options.token),
      timeout: positive('timeout', options.timeout ?? 30_000),
      deadline: positive('deadline', options.deadline ?? 60_000),
      attempts: positive('attempts', options.attempts ?? 5),
      maxAnswerBytes: positive('maxAnswerBytes', options.maxAnswerBytes ?? 256 * 1024 * 1024),
      log: options.log,
      // Looked up with each call, because programs replace the global one, and called alone, because browsers refuse it as a method.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      clock: options.clock ?? realClock,
      random: options.random ?? Math.random,
    }
  }

  /** Calls an operation: the way that all methods take. */
  request(operation: Operation, args: CallArguments = {}, options: WriteOptions = {}): Answer<unknown> {
    return answerOf(send(this.#calling, operation, args, options))
  }
}

/** Server and token from `CRM_URL` and `CRM_TOKEN`. Throws TypeError if one is missing. */
export function environment(): { readonly url: string; readonly token: string } {
  const url = environmentVariable('CRM_URL')
  const token = environmentVariable('CRM_TOKEN')
  if (url === undefined || token === undefined) throw new TypeError('set CRM_URL and CRM_TOKEN')
  return { url, token }
}

function baseOf(url: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url)
  if (!/^https?:$/u.test(protocol) || username + password + search + hash !== '')
    throw new TypeError('url must be the http or https address of a server, without user, query and fragment')
  return origin + pathname.replace(/\/+$/u, '')
}

function headersOf(token: string): Readonly<Record<string, string>> {
  // What `fetch` says of a malformed header contains it.
  if (!/^[\x21-\x7e]+$/u.test(token)) throw new TypeError('token must have visible ASCII characters only')
  const runtime = runtimeName()
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(runtime !== null && { 'user-agent': `crm-sdk/${version} (${runtime})` }),
  }
}

function positive(name: string, value: number): number {
  if (!(value > 0)) throw new TypeError(`${name} must be a positive number`)
  return value
}

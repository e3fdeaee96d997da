import type { Call, FilePart, Scenario } from './scenario.ts'

/** The time of a scenario: it passes when something waits, and when the server says that it will not answer. */
export class ScenarioClock {
  readonly pauses: number[] = []
  readonly #timers = new Map<() => void, number>()
  #now = 0

  now(): number {
    return this.#now
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.pauses.push(milliseconds)
    this.#now += milliseconds
  }

  timeout(milliseconds: number, expired: () => void): () => void {
    this.#timers.set(expired, this.#now + milliseconds)
    return () => this.#timers.delete(expired)
  }

  /** Lets all time pass for which something waits. */
  expire(): void {
    for (const [expired, time] of this.#timers) {
      this.#now = Math.max(this.#now, time)
      this.#timers.delete(expired)
      expired()
    }
  }
}

/** The client that is played with. */
export type MakeClient = (options: {
  readonly url: string
  readonly token: string
  readonly clock: ScenarioClock
  readonly log: (entry: object) => void
}) => object

/** What came of the calls of a scenario, as JSON can tell it. */
export interface Outcome {
  /** An error has its class, its message and its members. */
  readonly calls: readonly { readonly result?: unknown; readonly error?: object }[]
  readonly log: readonly object[]
  readonly pauses: readonly number[]
}

export const token = 'crm_scenario'

/** Makes the calls of a scenario, one after the other, with nothing but what every runtime has. */
export async function play(
  { now, client: { folder = '', ...options } = {}, calls }: Scenario,
  url: string,
  clock: ScenarioClock,
  make: MakeClient,
): Promise<Outcome> {
  const log: object[] = []
  const client = make({ ...options, url: url + folder, token, clock, log: entry => log.push(entry) })
  const outcomes = []
  const timeOfDay = Date.now
  if (now !== undefined) Date.now = () => 1000 * now
  for (const call of calls)
    outcomes.push(
      await perform(client, call).then(
        result => ({ result }),
        (error: unknown) => ({ error: membersOf(error) }),
      ),
    )
  Date.now = timeOfDay
  return { calls: outcomes, log, pauses: clock.pauses }
}

function membersOf(error: unknown): object {
  return error instanceof Error ? { ...error, class: error.name, message: error.message } : { thrown: error }
}

async function perform(client: object, call: Call): Promise<unknown> {
  const resource = call.resource.split('.').reduce(memberOf, client)
  const answer = called(resource, call.method, call.arguments.map(decoded))
  if (call.as === 'response') return shown(await called(answer, 'withResponse'))
  if (call.as === 'pages') return gathered(called(answer, 'pages'), call.take)
  if (call.as === 'items') return gathered(answer, call.take)
  return answer
}

async function gathered(all: unknown, take = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  if (!isIterable(all)) throw new Error('the call does not answer a list')
  const taken: unknown[] = []
  for await (const one of all) if (taken.push(one) >= take) break
  return taken
}

function shown(whole: unknown): object {
  const { data, meta, requestId, response }: Record<string, unknown> = Object(whole)
  return { data, meta, requestId, status: Reflect.get(Object(response), 'status') }
}

/** An argument that JSON cannot hold. */
function decoded(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null) return argument
  if ('$patch' in argument) return () => argument.$patch
  if (!('$form' in argument)) return argument
  const form = new FormData()
  const parts: Readonly<Record<string, FilePart>> = Object(argument.$form)
  for (const [field, { name, type, text }] of Object.entries(parts))
    form.append(field, new File([text], name, { type }))
  return form
}

function memberOf(object: object, name: string): object {
  const member: unknown = Reflect.get(object, name)
  if (typeof member !== 'object' || member === null) throw new Error(`the client has no ${name}`)
  return member
}

function called(object: unknown, name: string, args: readonly unknown[] = []): unknown {
  const method: unknown = Reflect.get(Object(object), name)
  if (typeof method !== 'function') throw new Error(`there is no method ${name}`)
  return Reflect.apply(method, object, args)
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

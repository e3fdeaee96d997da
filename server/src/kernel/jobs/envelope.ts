import { isObject, type JsonObject } from '../schema/index.ts'

/** What the queue keeps of a job beside its kind and key. */
export interface Envelope {
  readonly organizationId: string
  readonly payload: JsonObject
}

/** Reads what `addJob` has put into the queue. Throws if something else has. */
export function readEnvelope(value: unknown): Envelope {
  if (isObject(value)) {
    const { organizationId, payload } = value
    if (typeof organizationId === 'string' && isObject(payload)) return { organizationId, payload }
  }
  throw new Error('a job in the queue has no organization and payload')
}

import { isObject, type JsonObject } from '../schema/index.ts'

/** What the queue keeps of a job beside its kind and key. */
export interface Envelope {
  readonly organizationId: string
  readonly payload: JsonObject
  /** Set when the worker that had the job has died. */
  readonly interrupted?: boolean
  /** How far the job had come when its process last ended, and how many processes have ended there. */
  readonly stuck?: { readonly at: number; readonly times: number }
}

/** Reads what `addJob` has put into the queue. Throws if something else has. */
export function readEnvelope(value: unknown): Envelope {
  if (isObject(value)) {
    const { organizationId, payload, interrupted, stuck } = value
    if (typeof organizationId === 'string' && isObject(payload)) {
      const { at, times } = isObject(stuck) ? stuck : { at: -1, times: 0 }
      return {
        organizationId,
        payload,
        interrupted: interrupted === true,
        stuck: { at: Number(at), times: Number(times) },
      }
    }
  }
  throw new Error('a job in the queue has no organization and payload')
}

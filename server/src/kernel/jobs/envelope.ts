import { isObject, type JsonObject } from '../schema/index.ts'

/** The payload of a row in the queue, beside the kind and key of the job. */
export interface Envelope {
  readonly organizationId: string
  readonly payload: JsonObject
  /** Set if the worker that had locked the job has died. */
  readonly interrupted?: boolean
  /** The progress of the job when its process last ended, and how many processes have ended at that point. */
  readonly stuck?: { readonly at: number; readonly times: number }
}

/** Reads an envelope that `addJob` has written. Throws for any other value. */
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
  throw new Error('a row in the queue has no valid envelope of a job')
}

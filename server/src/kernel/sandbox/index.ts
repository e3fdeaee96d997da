import type { WhenGone } from '../call.ts'
import { bounds } from '../limits/bounds.ts'
import { Sandboxes } from './sandboxes.ts'

export type { Reading, SandboxProgram } from './sandbox.ts'
export { type ReadFile, Sandboxes } from './sandboxes.ts'
export { type SandboxRequest, serveSandbox } from './serve-sandbox.ts'

const waiting = bounds.organizationRequests.most

/** Reads files for jobs. A job does not wait long: it goes behind the others instead (`Overloaded`). */
export const jobReaders = new Sandboxes({
  name: 'processReaders',
  places: bounds.processReaders.most,
  waiting,
  milliseconds: 250,
})

/** Reads files for requests, beside those that jobs read, which may take longer. */
export const requestReaders = new Sandboxes({
  name: 'readerPlace',
  places: bounds.processRequestReaders.most,
  waiting,
  milliseconds: bounds.readerPlace.most,
})

/** The longest that a file of so many bytes may take a job or a request, in milliseconds. */
export function readingTime(reader: 'job' | 'request', bytes: number): number {
  const first = reader === 'job' ? bounds.readingTime.most : bounds.requestReadingTime.most
  return first * (1 + bytes / (5 * 1024 * 1024))
}

/** Tells that a job is to stop, as `whenGone` tells that a client has left. */
export function whenAborted(signal: AbortSignal): WhenGone {
  return listener => {
    if (signal.aborted) listener()
    signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  }
}

import type { WhenGone } from '../input/call.ts'
import { bounds } from '../limits/bounds.ts'
import { type Queue, Sandboxes } from './sandboxes.ts'

export type { Reading, SandboxProgram } from './sandbox.ts'
export { type Queue, type ReadFile, Sandboxes } from './sandboxes.ts'
export { type SandboxRequest, serveSandbox } from './serve-sandbox.ts'

const waiting = bounds.organizationRequests.most

/**
 * Reads untrusted files. A job waits only briefly and is then requeued behind the others (`Overloaded`). A request waits longer, beside the
 * files of jobs, which may take minutes.
 */
export const sandboxes = new Sandboxes({
  jobs: { name: 'processReaders', places: bounds.processReaders.most, waiting, milliseconds: 250 },
  requests: {
    name: 'readerPlace',
    places: bounds.processRequestReaders.most,
    waiting,
    milliseconds: bounds.readerPlace.most,
  },
})

/** The most time that reading a file of this many bytes may take, in milliseconds. */
export function readingTime(queue: Queue, bytes: number): number {
  const first = queue === 'jobs' ? bounds.readingTime.most : bounds.requestReadingTime.most
  return first * (1 + bytes / (5 * 1024 * 1024))
}

/** Turns the signal that stops a job into a `WhenGone`, which otherwise reports that a client has left. */
export function whenAborted(signal: AbortSignal): WhenGone {
  return listener => {
    if (signal.aborted) listener()
    signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  }
}

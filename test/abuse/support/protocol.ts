/** What the processes of an attack tell each other. */

/** One request, to be sent many times. */
export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  /** The body travels in chunks of one byte each, which makes it six times as long on the wire. */
  readonly inBytes?: boolean
}

/** Paths are relative to the CRM prefix, unless they begin with `/api/` or are those of probes. */
export function wholePath(path: string): string {
  return /^\/(?:api\/|livez$)/u.test(path) ? path : `/api/v1/crm${path}`
}

/** What clients do at the same time, each on a connection of its own. */
export interface Attack {
  readonly url: string
  /** The clients take them by turns; without any they send none. */
  readonly tokens: readonly string[]
  /** The address of this machine that they come from. */
  readonly from?: string
  readonly connections: number
  readonly request: Sent
  /** Requests that a client sends at once, before any answer has come: 1 unless told. */
  readonly pipelined?: number
  /** A client reads nothing of its answer, as one does that stands still. */
  readonly unread?: boolean
  /** For how long a client asks again after each answer; it asks once unless told. */
  readonly repeatMilliseconds?: number
  /** How long a client waits after each answer, and before it opens another connection; not at all unless told. */
  readonly pauseMilliseconds?: number
  /** When a client goes away, whatever has come by then; it waits for its answers unless told. */
  readonly hangUpMilliseconds?: number
}

export interface Outcome {
  /** How many answers came whole, by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Connections that ended before all the answers had come. */
  readonly cutOff: number
  /** Bytes of the longest body. */
  readonly longest: number
  /** The first body, at most its first 64 KiB. */
  readonly firstBody: string
  readonly seconds: number
}

/** What an observer asks again and again; `/livez` and `/readyz` are asked anyway. */
export interface Probe {
  readonly path: string
  readonly token?: string
}

export interface Watch {
  readonly url: string
  readonly pid: number
  readonly probes: readonly Probe[]
}

/** How one probe was answered; times in milliseconds. */
export interface Answered {
  readonly path: string
  readonly count: number
  /** Every status but 200 that came, and errors of the connection, with their number. */
  readonly failures: Readonly<Record<string, number>>
  readonly p50: number
  readonly p99: number
  readonly worst: number
}

export interface Observation {
  readonly answered: readonly Answered[]
  /** The most resident memory that the server held meanwhile, in MB. */
  readonly megabytes: number
  /** Seconds of processor time that the server's process used meanwhile. */
  readonly cpuSeconds: number
  /** The longest that the server's event loop stood still, in milliseconds; NaN when it could not be asked. */
  readonly standstill: number
}

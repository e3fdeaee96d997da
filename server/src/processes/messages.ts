import type { Registry } from 'prom-client'
import type { Count } from './shared-counts.ts'

/** The metrics of a process, as its registry gives them. */
export type Collected = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Why a process is to end: the server stops, another process takes its place, or nothing can be served any more. */
export type Stop = 'stop' | 'hand over' | 'database lost'

/** What a part of a server tells the process that has started it. */
export type FromPart =
  | { readonly crm: 'ready' }
  /** It has the connection that it was given. */
  | { readonly crm: 'took' }
  /** One of its connections is closed. */
  | { readonly crm: 'closed' }
  | { readonly crm: 'collected'; readonly id: number; readonly metrics: Collected }
  | { readonly crm: 'metrics'; readonly id: number }
  /** One at a time: the next one follows the answer. */
  | { readonly crm: 'count'; readonly counts: readonly Count[] }

/** What it is told. */
export type ToPart =
  | { readonly crm: 'stop'; readonly why: Stop }
  /** The server is going to stop: the process says so, and serves on. */
  | { readonly crm: 'drain' }
  /** Where the server listens. */
  | { readonly crm: 'address'; readonly address: string }
  /** Comes with a connection. */
  | { readonly crm: 'connection' }
  | { readonly crm: 'collect'; readonly id: number }
  | { readonly crm: 'metrics'; readonly id: number; readonly text: string }
  | { readonly crm: 'counted'; readonly values: readonly (number | null)[] }

/** Whether a message is one that a part tells: node:cluster sends its own the same way. */
export function isFromPart(message: unknown): message is FromPart {
  return isOwn(message)
}

/** Whether a message is one that a part is told. */
export function isToPart(message: unknown): message is ToPart {
  return isOwn(message)
}

function isOwn(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'crm' in message
}

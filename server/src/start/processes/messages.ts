import type { Registry } from 'prom-client'
import type { Exceeded } from '../../entrypoints/http/index.ts'
import type { Count } from './shared-counts.ts'

/** The metrics of a process, as its registry exports them. */
export type Collected = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Why a process must end: the server stops, another process replaces it, or nothing can be served any more. */
export type Stop = 'stop' | 'hand over' | 'database lost'

/** Messages from a part of a server to the process that has started it. */
export type FromPart =
  | { readonly crm: 'ready' }
  /** It runs; sent at intervals. */
  | { readonly crm: 'alive' }
  /** It has taken the connection that was passed to it. */
  | { readonly crm: 'took'; readonly connection: number }
  /** It had stalled when the connection was passed to it, and has not touched it. */
  | { readonly crm: 'late'; readonly connection: number }
  /** One of its connections is closed. */
  | { readonly crm: 'closed'; readonly connection: number }
  | { readonly crm: 'collected'; readonly id: number; readonly metrics: Collected }
  | { readonly crm: 'metrics'; readonly id: number }
  /** One at a time: the next one follows the answer. */
  | { readonly crm: 'count'; readonly counts: readonly Count[] }
  /** It follows the feed of an organization, or no longer does. */
  | { readonly crm: 'follow'; readonly organizationId: string; readonly follows: boolean }
  /** It has committed events of organizations whose feeds another process follows. */
  | { readonly crm: 'committed'; readonly commits: readonly Commits[] }

/** Events of an organization that a process has committed: their kinds of records and types of jobs. */
export interface Commits {
  readonly organizationId: string
  readonly types: readonly string[]
}

/** Sent together with a connection. */
export interface GivenConnection {
  readonly crm: 'connection'
  readonly connection: number
  /** The limit that the connection exceeds; null for an ordinary slot. */
  readonly exceeded: Exceeded | null
  /** When it was sent, in milliseconds on a clock that all processes of the machine share. */
  readonly at: number
}

/** Messages to a part. */
export type ToPart =
  | { readonly crm: 'stop'; readonly why: Stop }
  /** The server is about to stop: the process reports that, and serves on. */
  | { readonly crm: 'drain' }
  /** Where the server listens. */
  | { readonly crm: 'address'; readonly address: string }
  | GivenConnection
  | { readonly crm: 'collect'; readonly id: number }
  | { readonly crm: 'metrics'; readonly id: number; readonly text: string }
  | { readonly crm: 'counted'; readonly values: readonly (number | null)[] }
  /** Whether another process follows the feeds of these organizations. */
  | { readonly crm: 'followed'; readonly organizationIds: readonly string[]; readonly isFollowed: boolean }
  /** Another process has committed events of these organizations. */
  | { readonly crm: 'committed'; readonly commits: readonly Commits[] }

/** Whether a message comes from a part: node:cluster sends its own messages the same way. */
export function isFromPart(message: unknown): message is FromPart {
  return isOwn(message)
}

/** Whether a message is one for a part. */
export function isToPart(message: unknown): message is ToPart {
  return isOwn(message)
}

function isOwn(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'crm' in message
}

/** The time in milliseconds on a monotonic clock that all processes of the machine share. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

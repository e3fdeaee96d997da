import type { Registry } from 'prom-client'
import type { Exceeded } from '../../entrypoints/http/index.ts'
import type { Count } from './shared-counts.ts'

/** The metrics of a process, as its registry gives them. */
export type Collected = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Why a process is to end: the server stops, another process takes its place, or nothing can be served any more. */
export type Stop = 'stop' | 'hand over' | 'database lost'

/** What a part of a server tells the process that has started it. */
export type FromPart =
  | { readonly crm: 'ready' }
  /** It runs: told again and again. */
  | { readonly crm: 'alive' }
  /** It has the connection that it was given. */
  | { readonly crm: 'took'; readonly connection: number }
  /** It stood still when it was given the connection, and has not touched it. */
  | { readonly crm: 'late'; readonly connection: number }
  /** One of its connections is closed. */
  | { readonly crm: 'closed'; readonly connection: number }
  | { readonly crm: 'collected'; readonly id: number; readonly metrics: Collected }
  | { readonly crm: 'metrics'; readonly id: number }
  /** One at a time: the next one follows the answer. */
  | { readonly crm: 'count'; readonly counts: readonly Count[] }

/** Comes with a connection. */
export interface GivenConnection {
  readonly crm: 'connection'
  readonly connection: number
  /** What keeps it from an ordinary place: null where it has one. */
  readonly exceeded: Exceeded | null
  /** When it was given, on a clock that all processes of the machine share, in milliseconds. */
  readonly at: number
}

/** What it is told. */
export type ToPart =
  | { readonly crm: 'stop'; readonly why: Stop }
  /** The server is going to stop: the process says so, and serves on. */
  | { readonly crm: 'drain' }
  /** Where the server listens. */
  | { readonly crm: 'address'; readonly address: string }
  | GivenConnection
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

/** The time on a clock that all processes of the machine share, and that nobody sets, in milliseconds. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { World } from './world.ts'

/** A request that a client chose. */
export interface Request {
  /** Which effect it has: see `effects`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject
  /** What the effect has to know beside body and answer. */
  readonly facts: JsonObject
}

/** A request and its answer. */
export interface Action extends Request {
  readonly requestId: string
  readonly status: number
  readonly data: JsonObject
  readonly items: readonly JsonObject[]
  readonly meta: JsonObject
}

/** What a successful request makes of the world. */
export type Effect = (world: World, action: Action) => void

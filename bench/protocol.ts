/** The messages between the processes of the bench. */

export const operationNames = [
  'get',
  'list',
  'changes',
  'audit',
  'patch',
  'create',
  'upsert',
  'batch',
  'list-search',
  'search-part',
  'search-word',
  'search-two',
  'search-similar',
] as const
export type OperationName = (typeof operationNames)[number]

/** A contact that only one connection reads and writes during a round; a type, because rows have an index signature. */
export type Target = {
  readonly id: string
  readonly externalId: string
  readonly version: number
}

/** One client: the token for the product, and the ids for the bare server, which has no tokens. */
export interface Connection {
  readonly token: string
  readonly organizationId: string
  readonly applicationId: string
  readonly targets: readonly Target[]
  /** Positions in the change feed, each followed by a full page. */
  readonly cursors: readonly string[]
}

/** One round of one side. */
export interface Round {
  readonly url: string
  readonly operation: OperationName
  readonly seconds: number
  readonly connections: readonly Connection[]
}

export interface RoundResult {
  readonly requests: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** The driver's answer to a round. */
export type DriverAnswer = { readonly result: RoundResult } | { readonly failure: string }

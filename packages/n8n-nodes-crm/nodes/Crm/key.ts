import { createHash, randomUUID } from 'node:crypto'

/** What a request of a workflow is known by. */
export interface Origin {
  readonly instanceId: string
  readonly executionId: string | undefined
  readonly nodeId: string
  readonly runIndex: number
  readonly itemIndex: number
  /** The request itself, where one run of the node may mean several: an agent calls a tool with what it likes. */
  readonly content?: string
}

/**
 * The Idempotency-Key of a request. It is the same when n8n repeats the node within an execution, so that nothing is applied twice, and
 * another one for each item, run and execution. A request that belongs to no execution has a key of its own.
 */
export function keyOf({ instanceId, executionId, nodeId, runIndex, itemIndex, content }: Origin): string {
  if (executionId === undefined || executionId === '') return `n8n-${randomUUID()}`
  const parts = [instanceId, executionId, nodeId, runIndex, itemIndex, ...(content === undefined ? [] : [content])]
  return `n8n-${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`
}

import type { Method } from '../../packages/sdk/scripts/api.ts'

const resources = /^(?:contacts|companies|deals|tasks|search|capabilities|analytics)(?:\.|$)/u

/**
 * Whether the node offers an operation: those of records and what belongs to them. A workflow handles one item at a time, so it needs no
 * batches; files, and deletions and merges that follow a preview, are for programs.
 */
export function isOffered({ row, resource, name }: Method): boolean {
  return (
    resources.test(resource) &&
    !resource.endsWith('.files') &&
    !/^batch|Preview$|Commit$/u.test(name) &&
    row.body !== 'form'
  )
}

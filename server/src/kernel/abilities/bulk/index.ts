export { type BulkAction, type BulkTarget, bulkTransition, bulkUpdate } from './bulk-action.ts'
export { BulkReferences } from './bulk-references.ts'

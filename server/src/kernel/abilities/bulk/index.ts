export { type BulkAction, bulkTransition, bulkUpdate } from './bulk-action.ts'
export { BulkReferences } from './bulk-references.ts'

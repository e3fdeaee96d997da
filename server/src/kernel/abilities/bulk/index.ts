export { bulkTransition, bulkUpdate } from './bulk-actions.ts'
export { BulkReferences } from './bulk-references.ts'

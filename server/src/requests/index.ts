export { type FoundRequest, findRequests } from './find-requests.ts'
export { type EntryOfOrganization, listAuditEntries } from './list-audit-entries.ts'
export { type OrganizationUsage, usageOf } from './usage.ts'
export { usagePages } from './usage-operation.ts'

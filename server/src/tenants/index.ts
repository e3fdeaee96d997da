export { type ExportedOrganization, exportOrganization } from './export-organization.ts'
export { type ImportedOrganization, importOrganization } from './import-organization.ts'
export { leftOut } from './left-out.ts'
export { type RemovedOrganization, removeOrganization } from './remove-organization.ts'

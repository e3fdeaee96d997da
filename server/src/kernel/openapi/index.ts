export { openApiDocument } from './document.ts'
export { errorTable } from './error-table.ts'
export { failuresOf } from './failures.ts'
export { securitySchemeName } from './prose.ts'

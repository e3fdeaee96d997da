export { openApiDocument } from './document.ts'
export { failuresOf } from './failures.ts'
export { securitySchemeName } from './prose.ts'

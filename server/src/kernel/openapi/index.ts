export { openApiDocument } from './document.ts'
export { securitySchemeName } from './prose.ts'

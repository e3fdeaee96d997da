export { type OpenApiOptions, openApiDocument } from './document.ts'
export { exampleIdempotencyKey } from './parameters.ts'

export { openApiDocument } from './document.ts'
export { exampleIdempotencyKey } from './parameters.ts'

export { openApiDocument } from './document.ts'
export { failuresOf } from './failures.ts'
export { exampleIdempotencyKey } from './parameters.ts'

export { type BodyDeclaration, type CheckedBody, refuseEncoding } from './body.ts'
export type { FileField, FormDeclaration, TextField, UploadedFile } from './form.ts'
export { jsonBodyOf } from './form.ts'
export {
  cursorParameter,
  expectedVersionParameter,
  externalIdParameter,
  limitParameter,
  pageParameter,
  searchParameter,
  wordParameter,
  wordsParameter,
} from './parameters.ts'
export { notUtf8, parseQuery, type QueryDeclaration, type QueryParameter } from './query.ts'

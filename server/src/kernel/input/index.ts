export { type BodyDeclaration, type CheckedBody, isJsonType, refuseEncoding } from './body.ts'
export type { FileField, FormDeclaration, TextField, UploadedFile } from './form-declaration.ts'
export { jsonBodyOf } from './form-declaration.ts'
export { notUtf8, parseQuery, type QueryDeclaration, type QueryParameter } from './query.ts'
export {
  confirmedParameter,
  cursorParameter,
  dateParameter,
  expectedVersionParameter,
  externalIdParameter,
  limitParameter,
  pageParameter,
  searchParameter,
  textParameter,
  uuidParameter,
  wordParameter,
  wordsParameter,
} from './query-parameters.ts'

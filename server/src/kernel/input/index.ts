export {
  type BodyDeclaration,
  type CheckedBody,
  type FileField,
  type FormDeclaration,
  isJsonType,
  jsonBodyOf,
  refuseEncoding,
  type TextField,
  type UploadedFile,
} from './body.ts'
export { notUtf8, parseQuery, type QueryDeclaration, type QueryParameter } from './query.ts'
export {
  booleanParameter,
  cursorParameter,
  dateParameter,
  expectedVersionParameter,
  externalIdParameter,
  limitParameter,
  pageParameter,
  searchParameter,
  secondsParameter,
  textParameter,
  uuidParameter,
  wordParameter,
  wordsParameter,
} from './query-parameters.ts'

export { type ErrorCode, errorCatalogue } from './catalogue.ts'
export {
  type Issue,
  malformed,
  notFound,
  Refusal,
  refuse,
  unprocessable,
  versionConflict,
  violates,
} from './refusal.ts'

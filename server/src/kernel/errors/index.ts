export { type ErrorCode, errorCatalogue } from './catalogue.ts'
export {
  type Issue,
  malformed,
  notFound,
  personErased,
  Refusal,
  refuse,
  unprocessable,
  versionConflict,
  violates,
} from './refusal.ts'

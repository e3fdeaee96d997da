export { type ErrorCode, errorCatalogue } from './error-codes.ts'
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

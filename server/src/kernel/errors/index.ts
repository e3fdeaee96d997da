export {
  type ApiErrorCode,
  type CatalogueEntry,
  type ErrorCode,
  errorCatalogue,
} from './error-codes.ts'
export {
  type Issue,
  issuesOf,
  joinRefusals,
  malformed,
  notFound,
  personErased,
  Refusal,
  refuse,
  unprocessable,
  versionConflict,
  violates,
} from './refusal.ts'

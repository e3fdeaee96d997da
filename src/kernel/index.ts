export {
  AddressList,
  Authentication,
  type Caller,
  createToken,
  hashSecret,
  isCidr,
  isScope,
  normaliseAddress,
  type Scope,
  scopes,
} from './auth/index.ts'
export { type Call, ClientGone, type Reply } from './call.ts'
export { type Clock, systemClock } from './clock.ts'
export { type CursorScope, readCursor, writeCursor } from './cursor.ts'
export { Directories } from './directory/index.ts'
export { envelopeText, replyRefusal } from './envelope.ts'
export {
  type ErrorCode,
  errorCatalogue,
  malformed,
  notFound,
  Refusal,
  refuse,
  unprocessable,
  versionConflict,
  violates,
} from './errors/index.ts'
export {
  type BodyDeclaration,
  cursorParameter,
  expectedVersionParameter,
  externalIdParameter,
  limitParameter,
  type QueryDeclaration,
  searchParameter,
  wordParameter,
  wordsParameter,
} from './input/index.ts'
export { Counters, failedAuthenticationLimit, limits, rateDefaults, rateWindowSeconds } from './limits/index.ts'
export { type Decision, type Mutation, mutate } from './mutation.ts'
export type { Method, Operation, Outcome, Request } from './operation.ts'
export { authenticate, handle } from './pipeline.ts'
export { mayRead } from './redact/index.ts'
export * from './resource/index.ts'
export { Secret } from './secret.ts'
export type { Services } from './services.ts'
export { Turnstile } from './turnstile.ts'

export { readCursor, writeCursor } from './abilities/cursor.ts'
export { handleDownload } from './abilities/files/download.ts'
export { download } from './abilities/files/note-download.ts'
export * from './abilities/index.ts'
export {
  Admission,
  atOnce,
  GroupQueues,
  type Hold,
  inSlices,
  Overloaded,
  Pace,
  yieldToEventLoop,
} from './admission/index.ts'
export { deprecationHeaders, givesNotice } from './answers/deprecation.ts'
export {
  endOfSuccess,
  envelopeText,
  reply,
  replyEmpty,
  replyInSteps,
  replyRefusal,
  replyStreamed,
  replyWritten,
} from './answers/envelope.ts'
export { explainFailure } from './answers/failures.ts'
export { Actor, unattended } from './auth/actor.ts'
export { type Author, actorTypeSchema, byApplication } from './auth/author.ts'
export {
  AddressList,
  Authentication,
  addressBucket,
  type Caller,
  expiryOf,
  hashSecret,
  holderOf,
  isScope,
  type Members,
  newTokenText,
  type Permission,
  parseToken,
  type RefusedToken,
  type RightsOfMember,
  refuseMissingScopes,
  type Scope,
  type SessionCredential,
  scopes,
  type TokenCredential,
  tokenText,
} from './auth/index.ts'
export { type Clock, systemClock } from './clock.ts'
export { Configurations, raiseGeneration, raisePeopleGeneration } from './configuration/index.ts'
export {
  type Conventions,
  cabinetConventions,
  cabinetPath,
  crmConventions,
  externalConventions,
} from './conventions.ts'
export type { BulkAction, Declared, ErasePerson } from './declared.ts'
export { Secret } from './encryption/secret.ts'
export { expectSecret, matchSecret, rememberSecret } from './encryption/secret-of-database.ts'
export { type Issue, malformed, notFound, Refusal, refuse, versionConflict } from './errors/index.ts'
export type { EventSource } from './event-sources.ts'
export type { DecodedBody, Entry, RequestLease } from './gates/entry.ts'
export { enter, limitRate, passAfterBody, run } from './gates.ts'
export { type Call, ClientGone, type Reply, type StreamedReply, type TakeBody, type WhenGone } from './input/call.ts'
export {
  type BodyDeclaration,
  type CheckedBody,
  cursorParameter,
  dateParameter,
  expectedVersionParameter,
  type FormDeclaration,
  isJsonType,
  jsonBodyOf,
  limitParameter,
  notUtf8,
  parseQuery,
  refuseEncoding,
  searchParameter,
  secondsParameter,
  textParameter,
  uuidParameter,
  wordParameter,
  wordsParameter,
} from './input/index.ts'
export {
  addJob,
  defineJob,
  defineUpkeep,
  ensureJob,
  InterruptedJob,
  inPortions,
  type Job,
  type JobContext,
  type JobFailure,
  type JobProgress,
  type JobRequest,
  noOrganization,
  organizationsWith,
  queueUpkeep,
  removeJobsOf,
  secondsLeft,
  secondsLeftSchema,
  type Upkeep,
  whyJobEnded,
} from './jobs/index.ts'
export {
  type Bound,
  type BoundName,
  bounds,
  type Counter,
  Counters,
  failedAuthenticationLimit,
  limits,
  memoryCounter,
  type Retention,
  rateDefaults,
  rateWindowSeconds,
  retentionDefaults,
  Throttle,
} from './limits/index.ts'
export { kindsWith, type Module, productOf, servedScopes } from './module.ts'
export {
  aloneReasons,
  type Decision,
  decisionInSteps,
  type Mutation,
  type Swept,
} from './mutation/index.ts'
export {
  defineOperation,
  type Operation,
  type Outcome,
  type OwnRefusal,
  type Presenting,
  type Request,
  type StreamedOutcome,
  type Success,
  type Waiting,
  type WrittenOutcome,
} from './operation.ts'
export {
  bodyOfFields,
  columnOf,
  columnsNamed,
  expectedVersionSchema,
  externalKey,
  jsonBody,
  type Kinds,
  topOf,
  visibleIn,
} from './record/index.ts'
export { mayRead, projectionScopes, projectRecords } from './redact/index.ts'
export type { Services } from './services.ts'
export { tellSpan } from './tracing/index.ts'
export { inRoom, readForm, refuseFiles, Spool } from './uploads/index.ts'
export type { Step } from './write/decide.ts'
export type { Needs } from './write/needs.ts'
export { creating, type RecordChange, updating, upserting } from './write/record-change.ts'
export { decideOnly, mutate } from './write.ts'

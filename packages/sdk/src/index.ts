export type { Answer, Meta, WithResponse } from './core/answer.ts'
export type { Caller } from './core/call.ts'
export { Client, type ClientOptions, type EnvironmentOptions } from './core/client.ts'
export type { Clock } from './core/clock.ts'
export {
  ConnectionLost,
  CrmError,
  type CrmErrorOptions,
  Forbidden,
  Gone,
  KeyConflict,
  NotFound,
  PreconditionRequired,
  RateLimited,
  TimedOut,
  VersionConflict,
} from './core/errors.ts'
export type { Log, LogEntry } from './core/log.ts'
export type { CallArguments, Operation } from './core/operation.ts'
export type { ReadOptions, WriteOptions } from './core/options.ts'
export type { List, Page } from './core/pages.ts'
export { Crm } from './crm.ts'
export { FeedGap } from './flows/feed-page.ts'
export type { FeedStep, FollowOptions } from './flows/follow.ts'
export type { RowFailure, UpsertResult } from './flows/results.ts'
export type { Copy, CursorStore } from './flows/synchronize.ts'
export type { UpsertAllOptions } from './flows/upsert-all.ts'

export { answeredMalformed, type Bound, type Bounds, kibibyte, mebibyte, unreadable } from './bound.ts'
export { type BoundName, bounds } from './bounds.ts'
export {
  failedAuthenticationLimit,
  limits,
  type Retention,
  rateDefaults,
  rateWindowSeconds,
  retentionDefaults,
} from './limits.ts'
export { type Counter, Counters, memoryCounter } from './rate-limit.ts'
export { Throttle } from './throttle.ts'

export { type Bound, bounds } from './bounds.ts'
export { Counters } from './counters.ts'
export { failedAuthenticationLimit, limits, rateDefaults, rateWindowSeconds } from './limits.ts'
export { type Retention, retentionDefaults } from './retention.ts'

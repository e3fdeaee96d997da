export { Counters } from './counters.ts'
export { failedAuthenticationLimit, limits, rateDefaults, rateWindowSeconds } from './limits.ts'

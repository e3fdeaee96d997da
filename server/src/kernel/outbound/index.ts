export type { Lookup } from './destination.ts'
export { Outbound, type OutboundAnswer, OutboundFailure, type OutboundRequest } from './outbound.ts'

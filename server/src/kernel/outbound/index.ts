export { Outbound, type OutboundAnswer, OutboundFailure, type OutboundRequest } from './outbound.ts'

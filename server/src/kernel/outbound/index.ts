export { Outbound, type OutboundAnswer, OutboundFailure, type OutboundRequest, outboundBounds } from './outbound.ts'

export { KeptConnections } from './kept-connections.ts'
export {
  Outbound,
  type OutboundAnswer,
  OutboundFailure,
  type OutboundOptions,
  type OutboundRequest,
  outboundBounds,
} from './outbound.ts'

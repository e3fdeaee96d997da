export { AccessLog } from './access-log.ts'
export {
  addCabinetPages,
  cabinetRoutes,
  cabinetRoutesOf,
  organizationOffers,
  organizationRoutes,
} from './cabinet/index.ts'
export { type ConnectionPlace, ConnectionShares, type Exceeded } from './connection-shares.ts'
export { Metrics } from './health.ts'
export { assertCanListen, explainingListen, listeningHost } from './port.ts'
export { type AnsweredRequest, createHttpServer, type HttpServerOptions } from './server.ts'
export { feedHttp, type Http, type Leave, startHttp } from './start-http.ts'

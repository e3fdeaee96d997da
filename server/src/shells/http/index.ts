export { Metrics } from './health.ts'
export { assertCanListen, explainingListen, hostOf } from './port.ts'
export { createHttpServer } from './server.ts'
export { feedHttp, type Http, type Leave, startHttp } from './start-http.ts'

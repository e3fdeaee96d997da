export { Metrics } from './health.ts'
export { assertCanListen } from './port.ts'
export { createHttpServer } from './server.ts'
export { startHttp } from './start-http.ts'

export { serve } from './serve.ts'
export { createHttpServer } from './server.ts'

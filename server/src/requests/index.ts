export { type FoundRequest, findRequests } from './find-requests.ts'

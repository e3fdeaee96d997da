export { type FeedEvent, operationOf } from './feed-event.ts'
export { FeedTails, type Neighbours } from './feed-tails.ts'
export { FeedWaits } from './feed-waits.ts'

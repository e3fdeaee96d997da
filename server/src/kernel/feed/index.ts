export { type FeedEvent, operationOf, sizeOfEvent, toFeedEvent } from './feed-event.ts'
export type { LaterEvents } from './feed-tail.ts'
export { type FeedFollower, FeedTails, type Neighbours } from './feed-tails.ts'
export { FeedWaits } from './feed-waits.ts'

export { changeFeedOperations } from './change-feed.ts'

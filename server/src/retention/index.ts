export { type Removed, removeExpired } from './remove-expired.ts'

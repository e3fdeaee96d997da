export { type Blocker, blockerSchema, refuseBlocked } from './blockers.ts'
export { countName, countReferrers, gatherReferrers } from './gather.ts'
export { type Referrer, referrersOf } from './referrer.ts'
export { relink } from './relink.ts'

export { type Blocker, blockerSchema, listTooLong, refuseBlocked, tooManyLinks } from './blockers.ts'
export { affected, countName, countReferrers, type Gathering, gatherReferrers, needTwins } from './gather.ts'
export { mostAffected, type Referrer, referrersOf } from './referrer.ts'
export { filledFrom, relink, withReplaced } from './relink.ts'

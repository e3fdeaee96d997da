export { Claims, claimAll, keepClaims } from './claims.ts'
export { fingerprint, fingerprintInSteps } from './fingerprint.ts'
export { answerRow, claim, claimNothing, isIdempotencyKey, replay } from './stored-answer.ts'

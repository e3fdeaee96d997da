export { type Claims, claim, keepClaims } from './claims.ts'
export { fingerprint, fingerprintInSteps } from './fingerprint.ts'
export { answerRow, isIdempotencyKey, replay } from './stored-answer.ts'

export { type Claims, claim, keepClaims } from './claims.ts'
export { answerRow, fingerprint, fingerprintInSteps, isIdempotencyKey, replay } from './stored-answer.ts'

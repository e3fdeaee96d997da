export { answerRow, replay } from './answer.ts'
export { claim, claimNothing } from './claim.ts'
export { fingerprint, fingerprintInSteps, isIdempotencyKey } from './fingerprint.ts'

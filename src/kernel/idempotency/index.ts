export { answerRow, replay } from './answer.ts'
export { type Claim, claim, type StoredAnswer } from './claim.ts'
export { type Fingerprinted, fingerprint, isIdempotencyKey } from './fingerprint.ts'

export { answerRow, replay } from './answer.ts'
export { claim } from './claim.ts'
export { fingerprint, isIdempotencyKey } from './fingerprint.ts'

export {
  answerRow,
  claim,
  claimNothing,
  fingerprint,
  fingerprintInSteps,
  isIdempotencyKey,
  replay,
} from './idempotency.ts'

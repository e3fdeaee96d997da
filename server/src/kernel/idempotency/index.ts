export {
  answerRow,
  claim,
  fingerprint,
  fingerprintInSteps,
  isIdempotencyKey,
  keepClaims,
  replay,
} from './idempotency-key.ts'

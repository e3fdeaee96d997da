export { type AuditedStep, afterAllIds, stepCount, stepsBefore } from './audited-steps.ts'
export { keptReasons, StepsToTakeBack, type TakenStep } from './take-back.ts'

export type { Attempt, DecidedWrites, Ended, LoadedWrite } from './attempt.ts'
export { claimAndLoad, loadMore } from './claim-and-load.ts'
export {
  type AloneReason,
  type Answer,
  aloneReasons,
  type Decision,
  type MakeAnswer,
  type Mutation,
  type Swept,
  type WriteServices,
} from './mutation.ts'
export { type DecidedWrite, decisionInSteps, PendingWrite, type Write, writtenInSteps } from './pending-write.ts'

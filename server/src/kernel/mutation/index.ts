export type { Attempt, DecidedWrite, DecidedWrites, Ended, LoadedWrite } from './attempt.ts'
export { claimAndLoad, loadMore } from './claim-and-load.ts'
export { decideLoaded, endOf, writtenInSteps } from './decide-loaded.ts'
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
export { decisionInSteps, PendingWrite, type Write } from './pending-write.ts'

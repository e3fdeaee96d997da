export type { Attempt, DecidedWrite, DecidedWrites, Ended, LoadedWrite } from './attempt.ts'
export { claimAndLoad } from './claim-and-load.ts'
export { decideLoaded, endOf, writtenInSteps } from './decide-loaded.ts'
export { loadMore } from './load-writes.ts'
export {
  type AloneReason,
  type Answer,
  aloneReasons,
  type Decision,
  decisionInSteps,
  type MakeAnswer,
  type Mutation,
  type Swept,
  type WriteServices,
} from './mutation.ts'
export { PendingWrite, type Write } from './pending-write.ts'

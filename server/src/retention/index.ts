import { type Module, queueUpkeep } from '../kernel/index.ts'
import { correctFileTotals } from './file-totals.ts'
import { removeFilesWithoutRow } from './files.ts'
import { removeExpired } from './remove-expired.ts'

/** What is kept for a time: stored answers, change events, audit entries, jobs that have failed, files that nobody recorded. */
export const retention: Module = {
  operations: [],
  upkeep: [removeExpired, queueUpkeep, removeFilesWithoutRow, correctFileTotals],
}

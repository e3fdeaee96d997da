import { sweepFiles } from '../kernel/files/index.ts'
import { completeLastChanges, defineUpkeep, type Module, queueUpkeep } from '../kernel/index.ts'
import { correctFileTotals } from './file-totals.ts'
import { removeExpired } from './remove-expired.ts'
import { showRetention } from './show-retention.ts'

/** Removes leftovers of a crash from the file store and from the files of requests, and files whose rows no longer exist. */
export const removeFilesWithoutRow = defineUpkeep({
  name: 'files without a row',
  async run(services, signal) {
    const unfinishedFiles = (await services.files.store.removeDrafts()) + (await services.spool.removeLeftBehind())
    return { removed: { ...(await sweepFiles(services, signal)), unfinishedFiles } }
  },
})

/** Data with a retention: stored answers, change events, audit entries, failed jobs, and files without a row; and what servers of older releases leave undone. */
export const retention: Module = {
  operations: [],
  cabinetOperations: [showRetention],
  upkeep: [removeExpired, queueUpkeep, removeFilesWithoutRow, correctFileTotals, completeLastChanges],
}

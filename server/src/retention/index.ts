import { sweepFiles } from '../kernel/files/index.ts'
import { defineUpkeep, type Module, queueUpkeep } from '../kernel/index.ts'
import { correctFileTotals } from './file-totals.ts'
import { removeExpired } from './remove-expired.ts'

/** Removes what a crash left in the store of files and of files of requests, and files whose rows are gone. */
export const removeFilesWithoutRow = defineUpkeep({
  name: 'files without a row',
  async run(services, signal) {
    const unfinishedFiles = (await services.files.store.removeDrafts()) + (await services.spool.removeLeftBehind())
    return { removed: { ...(await sweepFiles(services, signal)), unfinishedFiles } }
  },
})

/** What is kept for a time: stored answers, change events, audit entries, jobs that have failed, files that nobody recorded. */
export const retention: Module = {
  operations: [],
  upkeep: [removeExpired, queueUpkeep, removeFilesWithoutRow, correctFileTotals],
}

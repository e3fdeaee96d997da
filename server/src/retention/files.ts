import { sweepFiles } from '../kernel/files/index.ts'
import { defineUpkeep } from '../kernel/index.ts'

/** Removes what a crash left in the store of files and of files of requests, and files whose rows are gone. */
export const removeFilesWithoutRow = defineUpkeep({
  name: 'files without a row',
  async run(services, signal) {
    const unfinishedFiles = (await services.files.store.removeDrafts()) + (await services.spool.removeLeftBehind())
    return { removed: { ...(await sweepFiles(services, signal)), unfinishedFiles } }
  },
})

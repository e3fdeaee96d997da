import { sweepFiles } from '../kernel/files/index.ts'
import { defineUpkeep } from '../kernel/index.ts'

/** Removes what a crash left in the store of files, and files whose rows are gone. */
export const removeFilesWithoutRow = defineUpkeep({
  name: 'files without a row',
  run: async (services, signal) => ({ removed: await sweepFiles(services, signal) }),
})

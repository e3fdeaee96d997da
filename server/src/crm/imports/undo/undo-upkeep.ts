import { bounds, defineUpkeep, organizationsWith, queueMissing } from '../../../kernel/index.ts'
import { importUndoRecord } from './import-undo.ts'
import { importUndoJob } from './undo-job.ts'

const organizationsWithUndos = organizationsWith(importUndoRecord.table)

/** Queues undos again that have no job, as in an organization that was imported from a file. They are removed with their imports. */
export const importUndosUpkeep = defineUpkeep({
  name: 'undos of imports',
  async run(services, signal) {
    for await (const id of organizationsWithUndos(services.database, signal))
      await queueMissing(importUndoRecord, importUndoJob, bounds.organizationImports.most, id, services)
    return { removed: {} }
  },
})

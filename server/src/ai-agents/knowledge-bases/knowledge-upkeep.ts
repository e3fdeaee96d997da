import { defineUpkeep, ensureJob } from '../../kernel/index.ts'
import { beforeAllIds } from '../../kernel/schema/index.ts'
import { indexRequest } from './indexing/index-job.ts'
import { selectLeftOver, selectOrganizationsWithKnowledge, selectUnread } from './indexing/knowledge-index.sql.ts'
import { removalRequest } from './indexing/removal-job.ts'

/** Queues the jobs that are missing, as in an organization that was brought in from a file, which brings no queue along. */
export const knowledgeUpkeep = defineUpkeep({
  name: 'knowledge_bases',
  async run({ database }, signal) {
    for (let last: string | undefined = beforeAllIds; last !== undefined && !signal.aborted; ) {
      const ids: string[] = (await database.query(selectOrganizationsWithKnowledge, [last])).map(({ id }) => String(id))
      for (const organizationId of ids) {
        for (const { id } of await database.query(selectUnread, [organizationId])) {
          await ensureJob(database, organizationId, indexRequest(String(id)))
        }
        const leftOver = await database.query(selectLeftOver, [organizationId])
        if (leftOver.length > 0) await ensureJob(database, organizationId, removalRequest)
      }
      last = ids.at(-1)
    }
    return { removed: {} }
  },
})

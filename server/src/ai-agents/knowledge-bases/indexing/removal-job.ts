import { defineJob, type JobRequest, unattended } from '../../../kernel/index.ts'
import { knowledgeBounds } from '../knowledge-bounds.ts'
import { removePassages } from './knowledge-index.sql.ts'

/** Removes the passages of contents that no longer belong to a file. Searches have not found them since the file was removed. */
export const removalJob = defineJob({
  name: 'knowledge_removal',
  async run(_payload, { organizationId, services, signal, turnEnds }) {
    while (!signal.aborted) {
      const values = [organizationId, knowledgeBounds.knowledgeChunk.most]
      const removed = await services.database.query(removePassages, values, unattended(organizationId))
      if (removed.length === 0) return 'done'
      if (performance.now() >= turnEnds) break
    }
    return 'again'
  },
})

/** The job that removes passages: one is enough for all contents of an organization. */
export const removalRequest: JobRequest & { readonly key: string } = { job: removalJob, payload: {}, key: 'removal' }

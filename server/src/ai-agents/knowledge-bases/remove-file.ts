import { forgetFile } from '../../kernel/files/index.ts'
import {
  answerAccepted,
  applyNamed,
  mutate,
  namedRecord,
  namedRemove,
  needNamed,
  notFound,
  type Operation,
  placeOf,
  Refusal,
} from '../../kernel/index.ts'
import { removalRequest } from './indexing/removal-job.ts'
import { contentOf, knowledgeFile } from './knowledge-file.ts'

/** `DELETE /knowledge-bases/:kbId/files/:fileId`: searches no longer find the file; a job removes its passages. */
export const removeFile: Operation = {
  ...namedRemove(knowledgeFile),
  execute(request, services) {
    const place = placeOf(knowledgeFile, request)
    const { organizationId } = request.actor
    return mutate(
      {
        runsAlone: 'jobs',
        needs: needs => needNamed(needs, knowledgeFile, place),
        decide(work, write) {
          const found = namedRecord(knowledgeFile, place, work)
          if (found instanceof Refusal) return found
          const { parent, record } = found
          if (record === null) return notFound()
          applyNamed(knowledgeFile, parent, record, null, work, write)
          return {
            result: place.name,
            rows: [forgetFile(contentOf(record))],
            jobs: [removalRequest],
            drops: [{ organizationId, purpose: 'knowledge', id: String(record.contentId) }],
          }
        },
      },
      request.actor,
      services,
      answerAccepted,
    )
  },
}

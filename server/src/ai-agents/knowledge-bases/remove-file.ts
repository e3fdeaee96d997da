import { forgetFile } from '../../kernel/files/index.ts'
import {
  applyNamed,
  discardDropped,
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

/** `DELETE /knowledge-bases/:kbId/files/:fileId`: nothing of the file is found any more; a job takes its passages away. */
export const removeFile: Operation = {
  ...namedRemove(knowledgeFile),
  async execute(request, services) {
    const place = placeOf(knowledgeFile, request)
    const { organizationId } = request.writer
    let removed: string | null = null
    const outcome = await mutate(
      {
        runsAlone: 'jobs',
        needs: needs => needNamed(needs, knowledgeFile, place),
        decide(work, write) {
          const found = namedRecord(knowledgeFile, place, work)
          if (found instanceof Refusal) return found
          const { parent, record } = found
          if (record === null) return notFound()
          removed = String(record.contentId)
          applyNamed(knowledgeFile, parent, record, null, work, write)
          return {
            status: 200,
            data: { accepted: true, id: place.name },
            meta: {},
            shown: [],
            rows: [forgetFile(contentOf(record))],
            jobs: [removalRequest],
          }
        },
      },
      request.writer,
      services,
    )
    const isRemoved = !(outcome instanceof Refusal) && outcome.replayed !== true
    if (isRemoved && removed !== null) await discardDropped([stored(organizationId, removed)], request, services)
    return outcome
  },
}

/** The stored file of a content. */
function stored(organizationId: string, id: string) {
  return { organizationId, purpose: 'knowledge', id } as const
}

import {
  create,
  defineUpkeep,
  ensureJob,
  get,
  listAll,
  type Module,
  namedList,
  type Operation,
  update,
} from '../../kernel/index.ts'
import { beforeAllIds, isObject } from '../../kernel/schema/index.ts'
import { indexJob, indexRequest } from './indexing/index-job.ts'
import { selectLeftOver, selectOrganizationsWithKnowledge, selectUnread } from './indexing/knowledge-index.sql.ts'
import { removalJob, removalRequest } from './indexing/removal-job.ts'
import { knowledgeBase } from './knowledge-base.ts'
import { knowledgeBounds } from './knowledge-bounds.ts'
import { knowledgeFile } from './knowledge-file.ts'
import { putFile } from './put-file.ts'
import { removeBase } from './remove-base.ts'
import { removeFile } from './remove-file.ts'
import { searchKnowledge } from './search/search-operation.ts'

/** Queues missing jobs, for example in an organization that was imported from a file, because archives contain no job queue. */
const knowledgeUpkeep = defineUpkeep({
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

export { knowledgeBase } from './knowledge-base.ts'
export { type FoundPassage, findPassages } from './search/find-passages.ts'

/** Knowledge bases of AI agents, their files, and the search in them (contract section 13.1). */
export const knowledgeBases: Module = {
  resources: [knowledgeBase, knowledgeFile],
  bounds: knowledgeBounds,
  operations: [
    hidingAgents(listAll(knowledgeBase)),
    hidingAgents(create(knowledgeBase)),
    hidingAgents(get(knowledgeBase)),
    hidingAgents(update(knowledgeBase)),
    removeBase,
    namedList(knowledgeFile),
    putFile,
    removeFile,
  ],
  cabinetOperations: [searchKnowledge],
  jobs: [indexJob, removalJob],
  upkeep: [knowledgeUpkeep],
}

/**
 * An operation that returns knowledge bases. Only tokens with `ai_agents_read` see the names of their agents. Clients rely on the list
 * being present, so it is empty for other tokens, and `agentsCount` gives the number.
 */
function hidingAgents(operation: Operation): Operation {
  return {
    ...operation,
    project(answered, caller, presenting) {
      const projected = operation.project(answered, caller, presenting)
      if (caller.scopes.has('ai_agents_read')) return projected
      const { data } = projected
      return { ...projected, data: Array.isArray(data) ? data.map(withoutAgents) : withoutAgents(data) }
    },
  }
}

function withoutAgents(base: unknown): unknown {
  return isObject(base) && 'agents' in base ? { ...base, agents: [] } : base
}

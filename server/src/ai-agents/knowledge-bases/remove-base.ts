import { forgetFile } from '../../kernel/files/index.ts'
import {
  answerOk,
  decisionInSteps,
  type Mutation,
  mutate,
  type Operation,
  type RecordState,
  Refusal,
  removeUsed,
  removing,
} from '../../kernel/index.ts'
import { removalRequest } from './indexing/removal-job.ts'
import { knowledgeBase } from './knowledge-base.ts'
import { lockFilesOfBase } from './knowledge-bases.sql.ts'

/**
 * `DELETE /knowledge-bases/:id`: removes its files at once; a job removes their passages, and the sweep removes their bytes from the store.
 */
export const removeBase: Operation = {
  ...removeUsed(knowledgeBase, { asks: true }),
  execute({ path, query, caller, actor }, services) {
    const id = path.id ?? ''
    const removal = removing(knowledgeBase, id, query.confirmed === true ? null : caller, services)
    return mutate(removingBase(id, removal, actor.organizationId), actor, services, answerOk)
  },
}

function removingBase(id: string, removal: Mutation<RecordState>, organizationId: string): Mutation<RecordState> {
  return {
    runsAlone: 'jobs',
    needs: removal.needs.bind(removal),
    *decide(work, write) {
      const decision = yield* decisionInSteps(removal, work, write)
      if (decision instanceof Refusal) return decision
      return {
        ...decision,
        jobs: [removalRequest],
        async sweep(transaction) {
          const files = await transaction.query(lockFilesOfBase, [organizationId, id])
          return { rows: files.map(file => forgetFile({ id: String(file.id), size: Number(file.size) })) }
        },
      }
    },
  }
}

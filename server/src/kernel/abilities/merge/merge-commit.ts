import { Refusal } from '../../errors/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import { type RecordState, type Resource, represent } from '../../record/index.ts'
import type { Services } from '../../services.ts'
import type { Effect } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { deleteScopes, writeScopes } from '../ability.ts'
import { refusalOfBlockers, refusalsOfPath } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { mergedAnswer, projectMerged } from './merge-answer.ts'
import { commitInput, resolutionsIn, sideOf } from './merge-input.ts'
import { needPair } from './merge-pair.ts'
import { type MergePlan, type Pair, planMerge } from './merge-plan.ts'
import { refusalOfSelf, refuseKeyConflict, refuseSelf, refuseStale, refuseUndecided } from './merge-refusals.ts'
import { mergedSchema } from './merge-schemas.ts'
import { keepMerged } from './merged-trail.ts'
import { moveParts } from './moved-parts.ts'

/**
 * `POST /<kind>/merge/commit`: merges the secondary into the primary, whose version rises by one. Everything that referred to the
 * secondary then refers to the primary. The secondary's keys then identify the primary; a key becomes a tombstone if the primary has one
 * of the same application (specification, "Merge and delete of contacts and companies"; contract section 8).
 *
 * Refuses with 403 if a protected value would change without its write scope: at gate 8 if the client chose the side, else after gate 14.
 */
export function mergeCommit(resource: Resource): Operation {
  return defineOperation({
    id: `${resource.plural}.mergeCommit`,
    method: 'POST',
    path: `${resource.path}/merge/commit`,
    summary: `Merge two ${resource.plural}`,
    description: 'Preview first: it tells versions, needed scopes, the fields to decide, and what forbids the merge.',
    scopes: [...writeScopes(resource), ...deleteScopes(resource)],
    body: commitInput(resource),
    answer: { data: mergedSchema(resource) },
    refuses: [
      ...refusalsOfPath(resource),
      ['version_conflict', 'One of the two no longer has the version that the request names.'],
      ['external_id_conflict', 'Both have an `externalId`, and `externalIdConflictResolution` is missing.'],
      refusalOfSelf(resource),
      ['unprocessable', '`fieldResolutions` are not those that the preview asks for.'],
      refusalOfBlockers,
    ],
    valueScopes: body => resolvedScopes(resource, body),
    project: (data, caller) => projectMerged(resource, data, caller),
    execute: (request, services) =>
      mutate(commit(resource, request, services), request.actor, services, ({ pair, plan, kept, primary }, write) => ({
        status: 200,
        data: {
          primary: represent(resource, primary, write),
          ...mergedAnswer(pair, plan, kept),
        },
        shown: [pair.primary, pair.secondary].map(record => ({ resource, record })),
      })),
  })
}

/** A choice writes the protected field, whichever side is chosen (contract section 8). */
function resolvedScopes({ fields }: Resource, body: unknown): string[] {
  const declared = Object.keys(resolutionsIn(body)).map(name => name.split('.')[0] ?? '')
  const scopes = declared.flatMap(name => (Object.hasOwn(fields, name) ? (fields[name]?.writeScope ?? []) : []))
  return [...new Set(scopes)]
}

/** The result of a merge. */
interface Merged {
  readonly pair: Pair
  readonly plan: MergePlan
  readonly kept: Effect
  readonly primary: RecordState
}

function commit(resource: Resource, request: Request, services: Services): Mutation<Merged> {
  const body = bodyOf(request)
  const pairNeeds = needPair(resource, sideOf(body, 'primary'), sideOf(body, 'secondary'), services, false)
  const { referrers } = pairNeeds
  return {
    needs: pairNeeds.needs,
    decide(work, write) {
      const pair = pairNeeds.pairIn(work)
      if (pair instanceof Refusal) return pair
      const refused = refuseStale(pair, body) ?? refuseSelf(pair, body)
      if (refused !== null) return refused
      const plan = planMerge(resource, pair, referrers, pairNeeds.ownIn(pair, work), work, write)
      const undecided = refuseKeyConflict(pair, plan, body) ?? refuseUndecided(resource, plan, body, request.caller)
      if (undecided !== null) return undecided

      const effects = plan.effects(resolutionsIn(body))
      for (const effect of effects) work.apply(effect)
      const [kept, gone] = effects.slice(-2)
      if (kept?.after === null || kept === undefined || gone === undefined)
        throw new Error('a merge must keep one record and remove the other')
      return {
        result: { pair, plan, kept, primary: kept.after },
        async sweep(transaction) {
          await moveParts(transaction, plan.moved, pair.primary, pair.secondary, write)
          return { rows: await keepMerged(transaction, gone, write) }
        },
      }
    },
  }
}

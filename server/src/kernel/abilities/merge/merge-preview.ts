import { Refusal } from '../../errors/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import { type RecordState, type Resource, recordStatements, represent, type WriteContext } from '../../record/index.ts'
import type { JsonObject } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { DecideAgain, type Transaction } from '../../sql/index.ts'
import { previewRow } from '../../write/facts.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { readScopes } from '../ability.ts'
import { holderCount, idsOfTwins, type Referrer } from '../referrers/index.ts'
import { refusalsOfKey, refusalsOfPath } from '../refusals.ts'
import { previewInput, sideOf } from './merge-input.ts'
import { needPair } from './merge-pair.ts'
import { type MergePlan, type Pair, planMerge } from './merge-plan.ts'
import { refusalOfSelf, refuseSelf } from './merge-refusals.ts'
import { mergePreviewSchema } from './merge-schemas.ts'
import { projectMergePreview, storedPart } from './project-merge-preview.ts'

/**
 * `POST /<kind>/merge/preview`: the result of merging two records for every field, for links and for keys; what the client has to decide;
 * what forbids the merge. It is the plan of the commit, made without locks. It changes nothing, and writes an audit entry for each record
 * (contract sections 8 and 11). The answer is stored, so the persons in it are locked until it is.
 *
 * What it says about fields that the token may not read does not depend on their values: see `toldParts`.
 */
export function mergePreview(resource: Resource): Operation {
  return defineOperation({
    id: `${resource.plural}.mergePreview`,
    method: 'POST',
    path: `${resource.path}/merge/preview`,
    previewOf: `${resource.plural}.mergeCommit`,
    summary: `Show what merging two ${resource.plural} would do`,
    scopes: readScopes(resource),
    body: previewInput(resource),
    answer: { data: mergePreviewSchema(resource) },
    refuses: [...refusalsOfPath(resource), ...refusalsOfKey(resource), refusalOfSelf(resource)],
    project: (data, caller) => projectMergePreview(resource, data, caller),
    execute: (request, services) =>
      mutate(preview(resource, request, services), request.actor, services, ({ records, data }) => ({
        status: 200,
        data,
        shown: records.map(record => ({ resource, record })),
      })),
  })
}

function preview(
  resource: Resource,
  { body }: Request,
  services: Services,
): Mutation<{ records: readonly RecordState[]; data: JsonObject }> {
  const pairNeeds = needPair(resource, sideOf(body, 'primary'), sideOf(body, 'secondary'), services, true)
  const { referrers } = pairNeeds
  return {
    looksOnly: true,
    needs: pairNeeds.needs,
    decide(work, write) {
      const pair = pairNeeds.pairIn(work)
      if (pair instanceof Refusal) return pair
      const same = refuseSelf(pair, body)
      if (same !== null) return same
      const plan = planMerge(resource, pair, referrers, pairNeeds.ownIn(pair, work), work, write)
      const records = [pair.primary, pair.secondary]
      const personIds = resource.personal ? records.map(({ id }) => id) : []
      return {
        result: { records, data: previewOf(resource, pair, plan, referrers, work, write) },
        rows: records.map(record => previewRow(resource, record, `${resource.kind}.merge_previewed`, write)),
        async sweep(transaction) {
          if (personIds.length > 0) await holdPersons(transaction, resource, personIds, write)
          return {}
        },
      }
    },
  }
}

/** The preview in its stored form: unredacted, because another token may retry the request. */
function previewOf(
  resource: Resource,
  { primary, secondary }: Pair,
  plan: MergePlan,
  referrers: readonly Referrer[],
  work: WorkingSet,
  write: WriteContext,
): JsonObject {
  const head = (record: RecordState) => {
    const { displayName, name } = represent(resource, record, write)
    const { id, externalId, version } = record
    return { id, externalId, version, displayName: displayName ?? name ?? null }
  }
  const links = referrers.map(referrer => [referrer.name, countsOf(referrer, primary, secondary, work)])
  const children = [...plan.children, ...plan.moved].map(child => {
    const { name, primary: inPrimary, secondary: inSecondary, merged } = child
    return [name, { primary: inPrimary, secondary: inSecondary, merged }]
  })
  return {
    primary: head(primary),
    secondary: head(secondary),
    fields: plan.parts.map(storedPart),
    links: Object.fromEntries([...links, ...children]),
    externalIdConflict: plan.keys.conflict,
    otherApplications: plan.keys.otherApplications,
    blockers: plan.blockers,
  }
}

/**
 * How many records refer to each side, and how many will refer to the merged record. A record that refers to both sides counts once there.
 */
function countsOf(referrer: Referrer, primary: RecordState, secondary: RecordState, work: WorkingSet) {
  const both = idsOfTwins(referrer, secondary.id, primary.id, work).length
  const ofPrimary = work.read(holderCount(referrer, primary.id))
  const ofSecondary = work.read(holderCount(referrer, secondary.id))
  return { primary: ofPrimary, secondary: ofSecondary, merged: ofPrimary + ofSecondary - both }
}

/**
 * Locks the persons in an answer until the answer is stored, so that a later erasure finds it. Throws `DecideAgain` if a person was erased
 * or merged away after it was read.
 */
async function holdPersons(
  transaction: Transaction,
  resource: Resource,
  ids: readonly string[],
  { organizationId, applicationId }: WriteContext,
): Promise<void> {
  const { lockToRefer, loadReferred } = recordStatements(resource)
  const values = [organizationId, ids.map(() => applicationId), ids, [], []]
  const [, held] = await Promise.all([transaction.query(lockToRefer, values), transaction.query(loadReferred, values)])
  if (held.length < ids.length || held.some(({ gone }) => gone === true))
    throw new DecideAgain(`a ${resource.kind} of a stored answer is gone`)
}

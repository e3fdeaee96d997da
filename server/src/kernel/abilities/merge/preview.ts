import { defineOperation } from '../../define-operation.ts'
import { Refusal } from '../../errors/index.ts'
import { type Mutation, mutate } from '../../mutation.ts'
import type { Operation, Request } from '../../operation.ts'
import { presentingWrite, represent } from '../../record/codec.ts'
import type { RecordState, Resource, WriteContext } from '../../record/resource.ts'
import type { JsonObject } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { previewRow } from '../../write/facts.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { basePath, readScopes } from '../ability.ts'
import { countName, type Referrer } from '../referrers/index.ts'
import { refusalsOfKey, refusalsOfPath } from '../refusals.ts'
import { refuseSelf } from './gates.ts'
import { holdPersons } from './hold-persons.ts'
import { previewInput, sideOf } from './input.ts'
import { needPair } from './pair.ts'
import { type MergePlan, type Pair, planMerge } from './plan.ts'
import { projectPreview, storedPart } from './project-preview.ts'
import { previewSchema } from './schemas.ts'

/**
 * `POST /<kind>/merge/preview`: what merging two records would make of every field, of links and of keys, what the
 * client has to decide and what forbids it. It is the plan of the commit, made without locks; it changes nothing, and
 * leaves an audit entry of each record (contract sections 8 and 11). The answer is stored, and so persons in it are held
 * while it is.
 *
 * What it says of fields that the token may not read does not depend on their values: see `toldParts`.
 */
export function mergePreview(resource: Resource): Operation {
  return defineOperation({
    id: `${resource.plural}.mergePreview`,
    method: 'POST',
    path: `${basePath(resource)}/merge/preview`,
    summary: `Show what merging two ${resource.plural} would do`,
    scopes: readScopes(resource),
    body: previewInput(resource),
    answer: { data: previewSchema(resource) },
    refuses: [...refusalsOfPath(resource), ...refusalsOfKey(resource), 'unprocessable'],
    project: (data, caller) => projectPreview(resource, data, caller),
    execute: (request, services) => mutate(preview(resource, request, services), request.writer, services),
  })
}

function preview(resource: Resource, { body }: Request, services: Services): Mutation {
  const pairNeeds = needPair(resource, sideOf(body, 'primary'), sideOf(body, 'secondary'), services, true)
  const { referrers, kinds } = pairNeeds
  return {
    looksOnly: true,
    needs: pairNeeds.needs,
    decide(work, write) {
      const pair = pairNeeds.pairIn(work)
      if (pair instanceof Refusal) return pair
      const same = refuseSelf(pair, body)
      if (same !== null) return same
      const plan = planMerge(resource, pair, referrers, kinds, work, write)
      const records = [pair.primary, pair.secondary]
      const personIds = resource.personal ? records.map(({ id }) => id) : []
      return {
        status: 200,
        data: previewOf(resource, pair, plan, referrers, work, write),
        meta: {},
        shown: records.map(record => ({ resource, record })),
        rows: records.map(record => previewRow(resource, record, `${resource.kind}.merge_previewed`, write)),
        async sweep(transaction) {
          if (personIds.length > 0) await holdPersons(transaction, resource, personIds, write)
          return []
        },
      }
    },
  }
}

/** The preview as it is stored: whole, for any token that may repeat the request. */
function previewOf(
  resource: Resource,
  { primary, secondary }: Pair,
  plan: MergePlan,
  referrers: readonly Referrer[],
  work: WorkingSet,
  write: WriteContext,
): JsonObject {
  const head = (record: RecordState) => {
    const { displayName, name } = represent(resource, record, presentingWrite(write))
    const { id, externalId, version } = record
    return { id, externalId, version, displayName: displayName ?? name ?? null }
  }
  const links = referrers.map(referrer => [referrer.name, countsOf(referrer, primary, secondary, work)])
  const children = plan.children.map(child => {
    const { name, primary: own, secondary: further, merged } = child
    return [name, { primary: own, secondary: further, merged }]
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

/** How many refer to either, and how many there will be: what referred to both is one then. */
function countsOf(referrer: Referrer, primary: RecordState, secondary: RecordState, work: WorkingSet) {
  const count = ({ id }: RecordState) => Number(work.extra(countName(referrer, id))[0]?.count ?? 0)
  const both = referrer.twins === null ? 0 : work.extra(referrer.twins.name).length
  const [own, further] = [count(primary), count(secondary)]
  return { primary: own, secondary: further, merged: own + further - both }
}

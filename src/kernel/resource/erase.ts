import { notFound, Refusal, refuse, unprocessable, versionConflict } from '../errors/index.ts'
import { wordParameter } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import { type Decision, type Mutation, mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import { type JsonObject, newId, uuidSchema } from '../schema/index.ts'
import { sweepPerson } from '../write/erasure.ts'
import { allKeys } from '../write/load.ts'
import { erasureReceipts } from '../write/tables.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { basePath, deleteScopes } from './ability.ts'
import { isAnonymized, stepTo } from './decide.ts'
import { findReferrers, type Referrer, referrersOf } from './referrers.ts'
import { inspectRemoval, removalInput, removalOf } from './removal-input.ts'
import type { RecordState, Resource, WriteContext } from './resource.ts'

const modes = ['anonymize', 'full'] as const
export type ErasureMode = (typeof modes)[number]

/**
 * `DELETE /contacts/:id?expectedVersion=&mode=`: erases a person. `anonymize` (unless told) empties the record and
 * keeps it for those that link to it; `full` removes it, unlinks it everywhere, and makes its keys tombstones. Both
 * reach search text, keys, audit values and stored answers, and leave a receipt (contract section 8).
 */
export function erase(resource: Resource): Operation {
  const mode = wordParameter(modes, 'What becomes of the record, anonymize unless given')
  const input = removalInput(`${resource.title}Delete`, { mode })
  return {
    id: `${resource.plural}.remove`,
    method: 'DELETE',
    path: `${basePath(resource)}/{id}`,
    summary: `Anonymize or delete a ${resource.kind}`,
    scopes: deleteScopes(resource),
    success: [200],
    idempotent: true,
    bodyLimit: limits.jsonBodyBytes,
    query: input.query,
    body: input.body,
    inspect: inspectRemoval,
    answer: { data: erasedSchema, meta: erasureMeta },
    project: data => ({ data, redacted: [] }),
    async execute(request, services) {
      const removal = removalOf(request)
      const { id = '' } = request.path
      const mode = removal.mode === 'full' ? 'full' : 'anonymize'
      return mutate(eraseRecord(resource, id, mode, removal.expectedVersion, services.resources), request, services)
    },
  }
}

/** The mutation behind a delete; `expectedVersion` undefined skips the compare-and-set. */
function eraseRecord(
  resource: Resource,
  id: string,
  mode: ErasureMode,
  expectedVersion: unknown,
  resources: readonly Resource[],
): Mutation {
  const referrers = mode === 'full' ? referrersOf(resource, resources) : []
  let found: 'not yet' | 'ids' | 'records' = 'not yet'
  return {
    needs(needs) {
      found = 'not yet'
      needs.toChange(resource, { id })
      needs.allKeysOf.add(id)
      needs.toLoad(referrers.map(referrer => findReferrers(referrer, id)))
    },
    further(needs, work) {
      if (found !== 'not yet') return false
      found = 'records'
      const owners = referrers.map(referrer => ({ referrer, ids: ownerIds(referrer, work) }))
      // Too many: nothing more is loaded, the decision refuses.
      if (owners.reduce((count, { ids }) => count + ids.length, 0) > mostAffected) return false
      for (const { referrer, ids } of owners) for (const owner of ids) needs.toChange(referrer.resource, { id: owner })
      return owners.some(({ ids }) => ids.length > 0)
    },
    decide(work, write) {
      const before = work.record(resource.kind, id)
      if (before === null) return notFound()
      if (isAnonymized(before)) return refuse('resource_deleted')
      if (expectedVersion !== undefined && before.version !== expectedVersion) return versionConflict(before.version)
      const unlinked = mode === 'full' ? unlink(id, referrers, work, write) : {}
      if (unlinked instanceof Refusal) return unlinked
      if (mode === 'full') work.apply({ resource, before, after: null })
      else
        work.apply({
          resource,
          before,
          after: anonymized(resource, before, write),
          operation: 'anonymized',
          changedFields: [],
        })
      return decision(before, mode, unlinked, work, write)
    },
  }
}

/** Records that one request may change by following links (architecture, "The write path"). */
export const mostAffected = 10_000

/** Ids of the records that were found to refer to the removed one. */
export function ownerIds(referrer: Referrer, work: WorkingSet): string[] {
  return work.extra(referrer.name).map(row => String(row.id))
}

/** Takes a record out of everything that links to it; refuses, naming all of them, where that may not be. */
export function unlink(
  id: string,
  referrers: readonly Referrer[],
  work: WorkingSet,
  write: WriteContext,
): Record<string, number> | Refusal {
  const affected = referrers.reduce((count, referrer) => count + ownerIds(referrer, work).length, 0)
  if (affected > mostAffected) return blocked([{ code: 'too_many_links', count: affected, limit: mostAffected }])
  const counts: Record<string, number> = {}
  const blockers = new Map<string, { kind: string; ids: string[] }>()
  for (const referrer of referrers) {
    const { resource: owner } = referrer
    for (const ownerId of ownerIds(referrer, work)) {
      const before = work.record(owner.kind, ownerId)
      if (before === null) continue
      const next = referrer.replace(before, id, null)
      const refusal = owner.rules.invariant?.(next) ?? null
      if (refusal !== null) {
        const code = String(refusal.details.reason)
        blockers.set(code, { kind: owner.kind, ids: [...(blockers.get(code)?.ids ?? []), ownerId] })
        continue
      }
      const { effect } = stepTo(owner, before, next, write)
      if (effect === null) continue
      work.apply(effect)
      counts[owner.plural] = (counts[owner.plural] ?? 0) + 1
    }
  }
  if (blockers.size === 0) return counts
  return blocked(
    [...blockers].map(([code, { kind, ids }]) => ({ code, count: ids.length, [`${kind}Ids`]: ids.slice(0, 100) })),
  )
}

function blocked(blockers: readonly JsonObject[]): Refusal {
  const issues = blockers.map(({ code }) => ({ path: '', rule: String(code), message: 'Related records forbid this' }))
  return unprocessable(issues, { blockers })
}

/** The record without the person: every field that may hold personal data is as it was at the beginning. */
function anonymized(resource: Resource, before: RecordState, write: WriteContext): RecordState {
  const erased = Object.entries(resource.fields).filter(([, field]) => field.personal)
  return {
    ...before,
    ...Object.fromEntries(erased.map(([name, field]) => [name, field.initial])),
    externalId: null,
    anonymizedAt: write.now,
    version: before.version + 1,
    updatedAt: write.now,
    updatedByUuid: write.actorUuid,
  }
}

function decision(
  before: RecordState,
  mode: ErasureMode,
  unlinked: Readonly<Record<string, number>>,
  work: WorkingSet,
  write: WriteContext,
): Decision {
  const erasureId = newId()
  const { deals = 0, companies = 0, tasks = 0 } = unlinked
  return {
    status: 200,
    data: {
      id: before.id,
      mode,
      result: mode === 'full' ? 'deleted' : 'anonymized',
      externalIdTombstoned: mode === 'full' && before.externalId !== null,
      unlinked: { deals, companies, tasks },
    },
    meta: { erasureId },
    personIds: [],
    async sweep(transaction) {
      const reached = await sweepPerson(transaction, write.organizationId, before.id)
      const row = {
        id: erasureId,
        contact_id: before.id,
        mode,
        erased_at: write.now,
        request_id: write.requestId,
        application_id: write.applicationId,
        reached: { ...reached, externalKeys: work.extra(allKeys).length, unlinked },
      }
      return [{ table: erasureReceipts, operation: 'insert', row }]
    },
  }
}

const count = { type: 'integer', minimum: 0 }
const erasedSchema = {
  title: 'Erasure',
  type: 'object',
  required: ['id', 'mode', 'result', 'externalIdTombstoned', 'unlinked'],
  properties: {
    id: uuidSchema,
    mode: { enum: modes },
    result: { enum: ['anonymized', 'deleted'] },
    externalIdTombstoned: { type: 'boolean' },
    unlinked: {
      type: 'object',
      required: ['deals', 'companies', 'tasks'],
      properties: { deals: count, companies: count, tasks: count },
    },
  },
}
const erasureMeta = { type: 'object', required: ['erasureId'], properties: { erasureId: uuidSchema } }

import type { Decision } from '../../mutation.ts'
import { type JsonSchema, newId, uuidSchema } from '../../schema/index.ts'
import { sweepPerson } from '../../write/erasure.ts'
import { allKeys } from '../../write/load.ts'
import { erasureReceipts } from '../../write/tables.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import type { Referrer } from '../referrers/index.ts'
import type { Resource, WriteContext } from '../resource.ts'
import { emptyLinks } from './personal-links.ts'
import { type RemovalMode, type RemovalPlan, removalModes } from './plan.ts'

/** The answer of a removal that was done, and of a person's the sweep and its receipt (contract section 8). */
export function removed(
  resource: Resource,
  mode: RemovalMode,
  { before, effects, links }: RemovalPlan,
  work: WorkingSet,
  write: WriteContext,
  referrers: readonly Referrer[],
): Decision {
  const unlinked = {
    deals: 0,
    companies: 0,
    tasks: 0,
    ...owners(
      effects.map(effect => effect.resource),
      links,
    ),
  }
  const data = {
    id: before.id,
    mode,
    result: mode === 'full' ? 'deleted' : 'anonymized',
    externalIdTombstoned: mode === 'full' && before.externalId !== null,
    unlinked,
  }
  if (!resource.personal) return { status: 200, data, meta: {}, personIds: [] }
  const erasureId = newId()
  return {
    status: 200,
    data,
    meta: { erasureId },
    personIds: [],
    async sweep(transaction) {
      const { organizationId } = write
      const reached = await sweepPerson(transaction, organizationId, before.id)
      let links = 0
      for (const referrer of mode === 'anonymize' ? referrers : []) {
        const { statement, values } = emptyLinks(referrer, before.id)
        links += (await transaction.query(statement, [organizationId, ...values])).length
      }
      const row = {
        id: erasureId,
        contact_id: before.id,
        mode,
        erased_at: write.now,
        request_id: write.requestId,
        application_id: write.applicationId,
        reached: { ...reached, links, externalKeys: work.extra(allKeys).length, unlinked },
      }
      return [{ table: erasureReceipts, operation: 'insert', row }]
    },
  }
}

/** How many records of each kind lost a link of their own; what is nested in them is counted by the preview. */
function owners(changed: readonly Resource[], links: RemovalPlan['links']): Record<string, number> {
  const plurals = new Set(changed.map(({ plural }) => plural))
  return Object.fromEntries([...links].flatMap(([name, ids]) => (plurals.has(name) ? [[name, ids.length]] : [])))
}

const count = { type: 'integer', minimum: 0 }

/** JSON Schema of `data` of a removal. */
export function removedSchema({ personal }: Resource): JsonSchema {
  return {
    title: personal ? 'Erasure' : 'Removal',
    type: 'object',
    required: ['id', 'mode', 'result', 'externalIdTombstoned', 'unlinked'],
    properties: {
      id: uuidSchema,
      mode: { enum: personal ? removalModes : ['full'] },
      result: { enum: personal ? ['anonymized', 'deleted'] : ['deleted'] },
      externalIdTombstoned: { type: 'boolean' },
      unlinked: {
        type: 'object',
        required: ['deals', 'companies', 'tasks'],
        properties: { deals: count, companies: count, tasks: count },
      },
    },
  }
}

/** JSON Schema of its `meta`: of a person's removal it names the receipt. */
export function removedMeta({ personal }: Resource): JsonSchema {
  return personal
    ? { type: 'object', required: ['erasureId'], properties: { erasureId: uuidSchema } }
    : { type: 'object' }
}

import type { FileName } from '../../files/index.ts'
import type { Decision } from '../../mutation.ts'
import type { Resource, WriteContext } from '../../record/resource.ts'
import { type JsonSchema, newId, uuidSchema } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { sweepPerson } from '../../write/erasure.ts'
import { allKeys } from '../../write/load.ts'
import { erasureReceipts } from '../../write/tables.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { emptyLinks, tellsOfPerson } from './personal-links.ts'
import { type Relations, unlinkedNames } from './relations.ts'
import { type RemovalMode, type RemovalPlan, removalModeSchema } from './removal-plan.ts'

/**
 * The answer of a removal. For a person it includes what the erasure reached, and the receipt (contract section 8); `onDropped` is
 * called with the files that do not count any more when the transaction is committed.
 */
export function removed(
  resource: Resource,
  mode: RemovalMode,
  { before, links: unlinkedIds }: RemovalPlan,
  work: WorkingSet,
  write: WriteContext,
  relations: Relations,
  { erasures, secret }: Pick<Services, 'erasures' | 'secret'>,
  onDropped: (files: readonly FileName[]) => void,
): Decision {
  const unlinked = Object.fromEntries(unlinkedNames(relations).map(name => [name, unlinkedIds.get(name)?.length ?? 0]))
  const data = {
    id: before.id,
    result: mode === 'full' ? 'deleted' : 'anonymized',
    externalIdTombstoned: mode === 'full' && before.externalId !== null,
    unlinked,
    ...(resource.personal ? { mode } : {}),
  }
  if (!resource.personal) return { status: 200, data, meta: {}, shown: [] }
  const erasureId = newId()
  return {
    status: 200,
    data,
    meta: { erasureId },
    shown: [],
    async sweep(transaction) {
      const { organizationId } = write
      const person = { resource, record: before, erasures, secret }
      const { reached, dropped, rows } = await sweepPerson(transaction, organizationId, person)
      onDropped(dropped)
      let links = 0
      for (const referrer of mode === 'anonymize' ? relations.referrers.filter(tellsOfPerson) : []) {
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
      return [{ table: erasureReceipts, operation: 'insert', row }, ...rows]
    },
  }
}

/** JSON Schema of `data` of a removal. */
export function removedSchema({ personal }: Resource): JsonSchema {
  return {
    title: personal ? 'Erasure' : 'Removal',
    type: 'object',
    required: ['id', 'result', 'externalIdTombstoned', 'unlinked', ...(personal ? ['mode'] : [])],
    properties: {
      id: uuidSchema,
      ...(personal ? { mode: { ...removalModeSchema, description: 'What was asked for.' } } : {}),
      result: {
        component: 'RemovalResult',
        type: 'string',
        enum: ['anonymized', 'deleted'],
        description: 'What became of the record.',
      },
      externalIdTombstoned: { type: 'boolean', description: 'Whether your key for it answers 410 from now on.' },
      unlinked: {
        type: 'object',
        description: 'By kind, how many records the record was unlinked from.',
        additionalProperties: { type: 'integer', minimum: 0 },
        examples: [{ deals: 2, tasks: 0, [personal ? 'companies' : 'contacts']: 1 }],
      },
    },
  }
}

/** JSON Schema of `meta` of a removal; for a person it names the receipt. */
export function removedMeta({ personal }: Resource): JsonSchema {
  return personal
    ? {
        title: 'ErasureMeta',
        type: 'object',
        required: ['erasureId'],
        properties: {
          erasureId: {
            ...uuidSchema,
            description: 'The number of the receipt, which the server keeps.',
          },
        },
      }
    : { type: 'object' }
}

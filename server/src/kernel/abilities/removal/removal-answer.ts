import type { Answer, Swept } from '../../mutation/index.ts'
import type { Resource, WriteContext } from '../../record/index.ts'
import { type JsonObject, type JsonSchema, objectSchema, uuidSchema, wordSchema } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import type { Transaction } from '../../sql/index.ts'
import { allKeysOf } from '../../write/load.ts'
import { erasureReceipts } from '../../write/tables.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { sweepPerson } from './erasure.ts'
import { emptyLinks, tellsOfPerson } from './personal-links.ts'
import { type Relations, unlinkedNames } from './relations.ts'
import { type RemovalPlan, type RemovalRequest, removalModeSchema } from './removal-plan.ts'
import { removeParts } from './removed-parts.ts'

/** The answer of a removal. For a person it contains the id of the receipt (contract section 8). */
export function answerRemoval(
  { resource, mode }: RemovalRequest,
  { before, links }: RemovalPlan,
  relations: Relations,
  erasureId: string,
): Answer {
  const data = {
    id: before.id,
    result: mode === 'full' ? 'deleted' : 'anonymized',
    externalIdTombstoned: mode === 'full' && before.externalId !== null,
    unlinked: unlinkedCounts(relations, links),
  }
  if (!resource.personal) return { status: 200, data }
  return { status: 200, data: { ...data, mode }, meta: { erasureId } }
}

/** Erases what mentions a person outside of the record, and writes the receipt with the number of items of each kind. */
export function erasing(
  { resource, mode }: RemovalRequest,
  relations: Relations,
  erasureId: string,
  { erasures, secret }: Pick<Services, 'erasures' | 'secret'>,
) {
  return ({ before, links: unlinked }: RemovalPlan, work: WorkingSet, write: WriteContext) => ({
    async sweep(transaction: Transaction): Promise<Swept> {
      const { organizationId } = write
      const parts = relations.ownParts.map(({ parent }) => parent.part)
      const person = { resource, record: before, parts, erasures, secret }
      const { reached, dropped, rows } = await sweepPerson(transaction, organizationId, person)
      const removed = await removeParts(transaction, organizationId, relations.ownParts, before.id)
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
        reached: {
          ...reached,
          ...removed.counts,
          links,
          externalKeys: work.read(allKeysOf(before.id)).length,
          unlinked: unlinkedCounts(relations, unlinked),
        },
      }
      return {
        rows: [{ table: erasureReceipts, operation: 'insert', row }, ...rows, ...removed.rows],
        drops: [...dropped, ...removed.drops],
      }
    },
  })
}

/** Removes the activities and files of a record that is no person. */
export function removingParts({ ownParts }: Relations) {
  return ({ before }: RemovalPlan, _work: WorkingSet, { organizationId }: WriteContext) => ({
    sweep: (transaction: Transaction): Promise<Swept> => removeParts(transaction, organizationId, ownParts, before.id),
  })
}

/** The number of records of each kind that the record was unlinked from. */
function unlinkedCounts(relations: Relations, links: RemovalPlan['links']): JsonObject {
  return Object.fromEntries(unlinkedNames(relations).map(name => [name, links.get(name)?.length ?? 0]))
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
      result: wordSchema('RemovalResult', ['anonymized', 'deleted'], 'What became of the record.'),
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

/** JSON Schema of `meta` of a removal; for a person it contains the id of the receipt. */
export function removedMeta({ personal }: Resource): JsonSchema {
  return personal
    ? objectSchema('ErasureMeta', {
        erasureId: {
          ...uuidSchema,
          description: 'The number of the receipt, which the server keeps.',
        },
      })
    : { type: 'object' }
}

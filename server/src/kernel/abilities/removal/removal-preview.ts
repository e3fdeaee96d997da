import { Refusal } from '../../errors/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import { defineOperation, type Operation, type Outcome, type Request } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import {
  countSchema,
  type JsonObject,
  type JsonSchema,
  listSchema,
  objectSchema,
  uuidSchema,
} from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { previewRow } from '../../write/facts.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mutate } from '../../write.ts'
import { addressedId, ofRecord, readScopes } from '../ability.ts'
import { blockerSchema, fileCounts, holderCount, needReferrers } from '../referrers/index.ts'
import { refusalsOfPath } from '../refusals.ts'
import { findMentions } from './mentions/find-mentions.ts'
import { mentionsSchemas } from './mentions/mentions-schema.ts'
import { type Relations, relationsOf } from './relations.ts'
import { planRemoval, presentRecord, type RemovalPlan, removalModeSchema, removalModes } from './removal-plan.ts'

const mostSamples = 10

/**
 * `GET /<kind>/:id/delete/preview`: what a delete would affect. It is the plan of the delete itself, made without locks. It changes
 * nothing, and writes an audit entry (contract sections 8 and 11). For a person it also shows what an erasure does not reach: texts of
 * other records that mention the person, and how many files linked records have.
 */
export function removalPreview(resource: Resource): Operation {
  return defineOperation({
    id: `${resource.plural}.deletePreview`,
    method: 'GET',
    ...ofRecord(resource, '/delete/preview'),
    previewOf: `${resource.plural}.deleteCommit`,
    summary: `Show what deleting a ${resource.kind} would affect`,
    scopes: readScopes(resource),
    answer: { data: previewSchema(resource) },
    refuses: refusalsOfPath(resource),
    execute: (request, services) => showPreview(resource, request, services),
  })
}

async function showPreview(resource: Resource, request: Request, services: Services): Promise<Outcome | Refusal> {
  const id = addressedId(request)
  const preview = await mutate(previewing(resource, id, services), request.actor, services)
  if (preview instanceof Refusal) return preview
  if (!resource.personal) return { status: 200, data: preview, meta: {} }
  const { data, redacted } = await findMentions(resource, id, request, services)
  return { status: 200, data: { ...preview, ...data }, meta: redacted.length === 0 ? {} : { redacted } }
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

function previewing(resource: Resource, id: string, services: Services): Mutation<JsonObject> {
  const relations = relationsOf(resource, services)
  const { referrers, ownLinks } = relations
  const files = fileCounts(referrers, id)
  return {
    looksOnly: true,
    needs(needs, work) {
      for (const kind of ownLinks) needs.toLoadNestedIn(kind, id)
      needs.toChange(resource, { id })
      needReferrers(needs, work, referrers, id, null)
      needs.toLoad(...referrers.map(referrer => holderCount(referrer, id)))
      if (resource.personal) needs.toLoad(...files)
    },
    decide(work, write) {
      const before = presentRecord(resource, id, work)
      if (before instanceof Refusal) return before
      const plan = planRemoval(resource, 'full', before, relations, work, write)
      const { blockers } = plan
      const data: JsonObject = {
        id,
        version: before.version,
        ...(resource.personal
          ? { modes: removalModes, attachmentsCount: sumOf(files.map(count => work.read(count))) }
          : {}),
        links: linksOf(plan, relations, work),
        wouldTombstoneExternalId: before.externalId !== null,
        blockers: resource.personal ? { anonymize: [], full: blockers } : blockers,
      }
      const rows = [previewRow(resource, before, `${resource.kind}.delete_previewed`, write)]
      return { result: data, rows }
    },
  }
}

/** The number of links, by name. Above the limit the plan knows only the first holders, so the database counts all of them. */
function linksOf({ links, before, blockers }: RemovalPlan, { referrers }: Relations, work: WorkingSet): JsonObject {
  const isWhole = !blockers.some(({ code }) => code === 'too_many_links')
  const counted = isWhole
    ? []
    : referrers.map(referrer => [referrer.name, work.read(holderCount(referrer, before.id))] as const)
  const counts = new Map(counted)
  return Object.fromEntries(
    [...links].map(([name, ids]) => [
      name,
      { count: counts.get(name) ?? ids.length, sampleIds: ids.slice(0, mostSamples) },
    ]),
  )
}

function previewSchema({ personal, title }: Resource): JsonSchema {
  const link = objectSchema('AffectedLinks', {
    count: { type: 'integer', minimum: 0, description: 'How many there are.' },
    sampleIds: {
      type: 'array',
      items: uuidSchema,
      maxItems: mostSamples,
      description: `The first ${mostSamples} of them.`,
    },
  })
  const blockersOf = (doing: string) => listSchema(blockerSchema, `What forbids ${doing}.`, [])
  const byMode = {
    component: 'BlockersByMode',
    type: 'object',
    required: removalModes,
    description: 'What forbids the removal, by mode.',
    properties: { anonymize: blockersOf('anonymizing it'), full: blockersOf('deleting it') },
  }
  const attachmentsCount = countSchema(
    'Files that are attached to the linked records. They may tell of the person, and an erasure leaves them as they are.',
  )
  const ofPersons = personal ? { attachmentsCount, ...mentionsSchemas } : {}
  const members = ['id', 'version', ...(personal ? ['modes'] : []), 'links', 'wouldTombstoneExternalId', 'blockers']
  return {
    title: `${title}DeletePreview`,
    type: 'object',
    required: [...members, ...Object.keys(ofPersons)],
    properties: {
      id: uuidSchema,
      version: { type: 'integer', minimum: 1, description: 'Its version now, as `expectedVersion` of the commit.' },
      ...(personal
        ? {
            modes: listSchema(
              removalModeSchema,
              'What can be done: empty the record and keep it, or delete it.',
              removalModes,
            ),
          }
        : {}),
      links: {
        type: 'object',
        description: 'What would be unlinked, by kind; a full delete alone does.',
        additionalProperties: link,
        examples: [{ deals: { count: 0, sampleIds: [] } }],
      },
      wouldTombstoneExternalId: { type: 'boolean', description: 'Whether your key would answer 410 afterwards.' },
      blockers: personal ? byMode : blockersOf('deleting it'),
      ...ofPersons,
    },
  }
}

import { actorTypeSchema, type Caller, mayRead } from '../../kernel/index.ts'
import {
  isObject,
  type JsonObject,
  optionalUuidSchema,
  type Projection,
  uuidSchema,
} from '../../kernel/schema/index.ts'

/** An event as readers with every scope see it, from its row. */
export function toEvent(row: JsonObject): JsonObject {
  return { ...row, dealVersion: Number(row.dealVersion) }
}

interface ProtectedPart {
  readonly projection: Projection
  hide(event: JsonObject): JsonObject
}

/** The parts of events that need further scopes besides those of deals (contract section 5). */
const protectedParts: readonly ProtectedPart[] = [
  { projection: 'amounts', hide: event => withData(event, data => withoutValues(without(data, 'total'), 'amount')) },
  { projection: 'custom_fields', hide: event => withData(event, data => withoutValues(data, 'customFields')) },
  { projection: 'operators', hide: event => without(event, 'actorUuid') },
  { projection: 'tags', hide: event => (event.kind === 'deal.tags_changed' ? withData(event, () => ({})) : event) },
]

/**
 * Events as this caller may see them. `changedFields` names a changed field even if its values are removed. The values of a key are visible
 * only to its application, and names of files only to callers who may list them; these two rules are not projections.
 */
export function projectEvents(data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } {
  if (!Array.isArray(data)) return { data, redacted: [] }
  const missing = protectedParts.filter(({ projection }) => !mayRead(projection, caller.scopes))
  const shown = (event: JsonObject) =>
    missing.reduce((seen, { hide }) => hide(seen), withoutFile(withoutForeignKey(event, caller.keysOf), caller))
  return { data: data.filter(isObject).map(shown), redacted: missing.map(({ projection }) => projection) }
}

function withoutForeignKey(event: JsonObject, applicationId: string): JsonObject {
  if (event.applicationId === applicationId) return event
  return withData(event, data => withoutValues(data, 'externalId'))
}

function withoutFile(event: JsonObject, { scopes }: Caller): JsonObject {
  if (scopes.has('crm_files_read') || !String(event.kind).startsWith('deal.file_')) return event
  return withData(event, data => without(data, 'name'))
}

function withData(event: JsonObject, change: (data: JsonObject) => JsonObject): JsonObject {
  return isObject(event.data) ? { ...event, data: change(event.data) } : event
}

/** The data of an event without the values of one field, before and after. */
function withoutValues(data: JsonObject, field: string): JsonObject {
  const { before, after } = data
  if (!isObject(before) || !isObject(after)) return data
  return { ...data, before: without(before, field), after: without(after, field) }
}

function without(object: JsonObject, member: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member))
}

const dataOf = {
  'deal.created': '{title, stageUuid, companyIds, contactIds}',
  'deal.updated': '{changedFields, before, after}, the values of externalId to its own application alone',
  'deal.moved': '{fromStageUuid, toStageUuid, fromPipelineId, toPipelineId}',
  'deal.won, deal.lost, deal.reopened': '{fromStageUuid, toStageUuid, lostReasonCategoryUuid}',
  'deal.owner_changed': '{fromOwnerUuid, toOwnerUuid}',
  'deal.companies_changed, deal.contacts_changed': '{added, removed, primary}',
  'deal.tags_changed': '{added, removed}, empty without `crm_tags_read`',
  'deal.activity_added, _updated, _deleted': '{activityId, type}',
  'deal.item_added, _updated, _deleted': '{itemId, name, total}, total absent without `crm_amounts_read`',
  'deal.file_attached, _detached': '{fileId, name}, name absent without `crm_files_read`',
  'deal.party_merged': '{resourceType, fromId, intoId}',
}

const properties = {
  id: uuidSchema,
  dealId: { ...uuidSchema, description: 'The deal.' },
  kind: {
    type: 'string',
    description: 'What happened; new words may come.',
    examples: ['deal.created', 'deal.item_added'],
  },
  createdAt: { type: 'string', format: 'date-time' },
  dealVersion: { type: 'integer', minimum: 1, description: 'The version that the deal had after it.' },
  actorType: actorTypeSchema,
  actorUuid: { ...optionalUuidSchema, description: 'The user or AI agent. Absent without `crm_operators_read`.' },
  applicationId: { ...optionalUuidSchema, description: 'The application that did it; null: none.' },
  requestId: { ...optionalUuidSchema, description: 'The request that did it, as in `error.requestId`; null: none.' },
  data: {
    type: 'object',
    description: Object.entries(dataOf)
      .map(([kinds, members]) => `${kinds}: ${members}`)
      .join('; '),
    examples: [
      {
        title: 'Two hundred chairs',
        stageUuid: '019bd1c8-7c40-79a1-8d0f-5b8a6de0c3f4',
        companyIds: ['019bd1c8-7c40-7c42-8a84-45890fc83975'],
        contactIds: [],
      },
    ],
  },
}

/** JSON Schema of an event. */
export const eventSchema = {
  title: 'DealEvent',
  type: 'object',
  required: Object.keys(properties).filter(name => name !== 'actorUuid'),
  properties,
}

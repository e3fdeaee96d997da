import type { NestedStep, Replacement, WriteContext } from '../../kernel/index.ts'
import { newId, type OrganizationSettings, sameJson, shownAmount } from '../../kernel/schema/index.ts'
import { defineTable, type RowChange } from '../../kernel/write/index.ts'
import { type DealState, dealFields } from './deal-fields.ts'
import { isMoved } from './stage.rules.ts'

const dealEvents = defineTable('deal_events', ['deal_id', 'created_at', 'id'], {
  deal_id: 'uuid',
  id: 'uuid',
  kind: 'text',
  created_at: 'timestamptz',
  deal_version: 'bigint',
  actor_type: 'text',
  actor_uuid: 'uuid',
  application_id: 'uuid',
  request_id: 'uuid',
  data: 'jsonb',
})

const dealStageSpans = defineTable('deal_stage_spans', ['deal_id', 'number'], {
  deal_id: 'uuid',
  number: 'integer',
  pipeline_id: 'uuid',
  stage_uuid: 'uuid',
  entered_at: 'timestamptz',
  left_at: 'timestamptz',
})

/** Rows of other tables that a change of a deal writes: entries of its event feed, and the spans of time that it spends in each stage. */
export function sideRowsOfDeal(
  before: DealState | null,
  after: DealState | null,
  write: WriteContext,
  steps: readonly NestedStep[],
  merged: readonly Replacement[],
): RowChange[] {
  // The spans of a removed deal are deleted with it. Its events are kept, as audit entries are.
  if (after === null) return []
  const own = eventsOf(before, after, write.configuration.organization)
  const events = [...own, ...steps.flatMap(partEvents), ...merged.map(partyMerged)]
  return [...spanRows(before, after), ...events.map(event => eventRow(event, after, write))]
}

function spanRows(before: DealState | null, after: DealState): RowChange[] {
  if (before?.stageSpan === after.stageSpan) return []
  const at = after.stageChangedAt
  const { id: deal_id, stageSpan: number, pipelineId: pipeline_id, stageUuid: stage_uuid } = after
  const row = { deal_id, number, pipeline_id, stage_uuid, entered_at: at, left_at: null }
  const entered: RowChange = { table: dealStageSpans, operation: 'insert', row }
  if (before === null) return [entered]
  return [
    { table: dealStageSpans, operation: 'update', row: { deal_id, number: before.stageSpan, left_at: at } },
    entered,
  ]
}

interface DealEvent {
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

function eventRow({ kind, data }: DealEvent, deal: DealState, write: WriteContext): RowChange {
  const row = {
    deal_id: deal.id,
    id: newId(),
    kind,
    created_at: write.now,
    deal_version: deal.version,
    actor_type: write.author.type,
    actor_uuid: write.author.uuid,
    application_id: write.applicationId,
    request_id: write.requestId,
    data,
  }
  return { table: dealEvents, operation: 'insert', row }
}

/** The events of a change, in the vocabulary of the deal's feed (contract section 11, "Deal event"). */
function eventsOf(before: DealState | null, after: DealState, organization: OrganizationSettings): DealEvent[] {
  if (before === null) {
    const { title, stageUuid, companies: companyIds, contacts: contactIds } = after
    return [{ kind: 'deal.created', data: { title, stageUuid, companyIds, contactIds } }, ...closings(null, after)]
  }
  return [
    ...updates(before, after, organization),
    ...moves(before, after),
    ...closings(before, after),
    ...ownerChanges(before, after),
    ...setChanges('deal.companies_changed', before.companies, after.companies, true),
    ...setChanges('deal.contacts_changed', before.contacts, after.contacts, true),
    ...setChanges('deal.tags_changed', before.tagIds, after.tagIds, false),
  ]
}

/** The event for a company or contact of the deal that was merged into another one. */
function partyMerged({ kind, id, other }: Replacement): DealEvent {
  return { kind: 'deal.party_merged', data: { resourceType: kind, fromId: id, intoId: other } }
}

/** The event for a change of an item, an activity or a file of the deal. */
function partEvents({ resource, before, after }: NestedStep): DealEvent[] {
  const part = after ?? before
  if (part === null) return []
  const verb = before === null ? 'added' : after === null ? 'deleted' : 'updated'
  const { id, type, name, total } = part
  if (resource.kind === 'deal_activity') return [{ kind: `deal.activity_${verb}`, data: { activityId: id, type } }]
  if (resource.kind === 'deal_item') return [{ kind: `deal.item_${verb}`, data: { itemId: id, name, total } }]
  if (resource.kind === 'deal_file') {
    return [{ kind: `deal.file_${before === null ? 'attached' : 'detached'}`, data: { fileId: id, name } }]
  }
  return []
}

/** Changes of these fields have events of their own. */
const toldOtherwise: ReadonlySet<string> = new Set(['ownerUuid', 'pipelineId', 'stageUuid', 'companies', 'contacts'])

/** Fields that requests set, and that `deal.updated` reports. */
const plainFields = [
  'externalId',
  ...Object.entries(dealFields).flatMap(([name, field]) =>
    'input' in field && !toldOtherwise.has(name) ? [name] : [],
  ),
]

function updates(before: DealState, after: DealState, organization: OrganizationSettings): DealEvent[] {
  const [old, next] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  // If the status changes too, `deal.lost`, `deal.won` and `deal.reopened` report the reason.
  const told = before.status === after.status ? [] : ['lostReasonCategoryUuid']
  const changed = (name: string) => !told.includes(name) && !sameJson(old.get(name), next.get(name))
  const changedFields = plainFields.filter(changed)
  if (changedFields.length === 0) return []
  // Values are stored as answers show them: the number of digits of an amount follows from the currency, which may change later.
  const shown = (deal: DealState) => {
    const values = new Map(Object.entries({ ...deal, amount: shownAmount(deal.amount, deal, organization) }))
    return Object.fromEntries(changedFields.map(name => [name, values.get(name) ?? null]))
  }
  return [{ kind: 'deal.updated', data: { changedFields, before: shown(before), after: shown(after) } }]
}

function moves(before: DealState, after: DealState): DealEvent[] {
  if (!isMoved(before, after)) return []
  const data = {
    fromStageUuid: before.stageUuid,
    toStageUuid: after.stageUuid,
    fromPipelineId: before.pipelineId,
    toPipelineId: after.pipelineId,
  }
  return [{ kind: 'deal.moved', data }]
}

function closings(before: DealState | null, after: DealState): DealEvent[] {
  const { stageUuid, lostReasonCategoryUuid } = after
  if ((before?.status ?? 'open') === after.status) return []
  const kind = after.status === 'open' ? 'deal.reopened' : `deal.${after.status}`
  return [{ kind, data: { fromStageUuid: before?.stageUuid ?? null, toStageUuid: stageUuid, lostReasonCategoryUuid } }]
}

function ownerChanges(before: DealState, after: DealState): DealEvent[] {
  if (before.ownerUuid === after.ownerUuid) return []
  return [{ kind: 'deal.owner_changed', data: { fromOwnerUuid: before.ownerUuid, toOwnerUuid: after.ownerUuid } }]
}

function setChanges(
  kind: string,
  before: readonly string[],
  after: readonly string[],
  hasPrimary: boolean,
): DealEvent[] {
  if (sameJson(before, after)) return []
  const added = after.filter(id => !before.includes(id))
  const removed = before.filter(id => !after.includes(id))
  return [{ kind, data: { added, removed, ...(hasPrimary ? { primary: after[0] ?? null } : {}) } }]
}

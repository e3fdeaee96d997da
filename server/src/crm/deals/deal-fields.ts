import type { StateOf } from '../../kernel/index.ts'
import {
  byDate,
  chosenBy,
  computed,
  computedAmount,
  customFields,
  optionalAmount,
  optionalChoice,
  optionalCurrency,
  optionalDate,
  optionalOperator,
  optionalText,
  orderedLinks,
  requiredText,
  sorted,
  tagIds,
} from '../../kernel/schema/index.ts'
import { company } from '../companies/index.ts'
import { contact } from '../contacts/index.ts'
import { lostReasonCategoryUuid, lostReasonComment, pipelineId, stageUuid } from './stage-fields.ts'

const count = (description: string) =>
  computed<number>(0, { column: 'integer', schema: { type: 'integer', minimum: 0 }, description })
const time = { type: ['string', 'null'], format: 'date-time' }

/** What a deal holds (contract section 6.3). */
export const dealFields = {
  kind: computed<'ordinary' | 'unsorted'>('ordinary', {
    column: 'text',
    schema: { component: 'DealKind', type: 'string', enum: ['ordinary', 'unsorted'] },
    description: 'unsorted deals come from channels and need no company or contact yet.',
    exported: true,
  }),
  title: sorted(requiredText({ max: 500, searched: true, example: 'Two hundred chairs' })),
  description: optionalText({ max: 10_000, keepSpace: true }),
  amount: sorted(optionalAmount('Decimal string in the currency of the deal, independent of its items.')),
  currency: optionalCurrency(),
  itemsTotal: computedAmount('Sum of the totals of the items.'),
  priority: chosenBy(
    optionalChoice(['low', 'medium', 'high', 'urgent'], {
      component: 'DealPriority',
      description: 'How important the deal is; null: nobody has said.',
    }),
    'With this priority',
  ),
  ownerUuid: optionalOperator(
    'The operator who runs the deal: one of directories.operators.',
    'Owned by this operator',
  ),
  expectedCloseDate: {
    ...sorted(optionalDate({ example: '2026-03-31', description: 'When the deal is likely to be won or lost.' })),
    filters: byDate('expectedClose', 'Likely to be won or lost'),
  },
  pipelineId,
  stageUuid,
  status: chosenBy(
    computed<'open' | 'won' | 'lost'>('open', {
      column: 'text',
      schema: { component: 'DealStatus', type: 'string', enum: ['open', 'won', 'lost'] },
      description: 'Follows from the type of the stage.',
      exported: true,
    }),
    'With this status',
  ),
  rank: computed<string>('', {
    column: 'text',
    schema: { type: 'string' },
    description: 'Opaque: deals of a stage are ordered by it, ascending by bytes.',
  }),
  lostReasonCategoryUuid,
  lostReasonComment,
  stageChangedAt: computed<string | null>(null, {
    column: 'timestamptz',
    schema: time,
    description: 'When the deal entered its stage.',
    exported: true,
  }),
  closedAt: computed<string | null>(null, {
    column: 'timestamptz',
    schema: time,
    description: 'When the deal was won or lost; null while it is open.',
    exported: true,
  }),
  companies: orderedLinks({
    component: 'DealCompany',
    to: company,
    table: 'deal_companies',
    ownerColumn: 'deal_id',
    targetColumn: 'company_id',
    idsMember: 'companyIds',
    member: 'companies',
    idMember: 'companyId',
    most: 50,
  }),
  contacts: orderedLinks({
    component: 'DealContact',
    to: contact,
    table: 'deal_contacts',
    ownerColumn: 'deal_id',
    targetColumn: 'contact_id',
    idsMember: 'contactIds',
    member: 'contacts',
    idMember: 'contactId',
    most: 50,
  }),
  itemsCount: count('Number of items.'),
  activitiesCount: count('Number of activities.'),
  filesCount: count('Number of files.'),
  customFields: customFields(),
  tagIds: tagIds(),
  // Internal: the number of the open row in deal_stage_spans.
  stageSpan: { column: 'integer', output: {}, initial: 1, present: () => ({}) },
}

/** A deal in memory, as its rules see it. */
export type DealState = StateOf<typeof dealFields>

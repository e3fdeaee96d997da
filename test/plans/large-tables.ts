import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import type { Plan, PlanNode } from './plan.ts'

const keyOf = (table: string) => `${table}_pkey`

/** The partitions of the stored answers: one for each of four days, and one of before there were days. */
const answersByDay = ['0', '1', '2', '3', 'before'].map(slot => `idempotency_answers_${slot}`)

/** Tables that grow with use, of all organizations together: none is ever read from end to end. */
const largeTables = new Set([
  'agent_api_integrations',
  'agent_product_sets',
  'agents',
  'ai_operators',
  'api_integrations',
  'audit_entries',
  'bulk_job_errors',
  'bulk_job_targets',
  'bulk_jobs',
  'change_keys',
  'changes',
  'channels',
  'checklist_items',
  'checklists',
  'companies',
  'company_activities',
  'company_contacts',
  'company_files',
  'contact_activities',
  'contact_files',
  'contacts',
  'deal_activities',
  'deal_companies',
  'deal_contacts',
  'deal_events',
  'deal_files',
  'deal_items',
  'deal_stage_spans',
  'deals',
  'external_keys',
  'files',
  ...answersByDay,
  'knowledge_contents',
  'knowledge_files',
  'knowledge_passages',
  'knowledge_words',
  'merged_records',
  'product_sets',
  'products',
  'task_files',
  'tasks',
])

/** Columns that are enough of an index: what is looked for has several rows, or is the first in their order. */
const enough: Readonly<Record<string, readonly string[]>> = {
  // The newest records of an organization, from the first or from a cursor.
  companies_newest: ['organization_id'],
  contacts_newest: ['organization_id'],
  deals_newest: ['organization_id'],
  tasks_newest: ['organization_id'],
  // The steps of a job.
  audit_entries_of_job: ['organization_id', 'job_id'],
  // The entries of one record, from the newest or from a cursor.
  audit_entries_of_record_in_order: ['organization_id', 'resource_id'],
  // All of what an organization has a limited number of.
  agents_pkey: ['organization_id'],
  api_integrations_pkey: ['organization_id'],
  channels_pkey: ['organization_id'],
  product_sets_pkey: ['organization_id'],
  // An organization has at most a hundred agents, each with a few links and channels.
  agent_api_integrations_pkey: ['organization_id'],
  agent_api_integrations_of_integration: ['organization_id'],
  agent_product_sets_pkey: ['organization_id'],
  agent_product_sets_of_set: ['organization_id'],
  agent_knowledge_bases_pkey: ['organization_id'],
  agent_knowledge_bases_of_base: ['organization_id'],
  ai_operators_pkey: ['organization_id'],
  // The files of one base, and a page of the products of one set.
  knowledge_bases_newest: ['organization_id'],
  knowledge_bases_pkey: ['organization_id'],
  knowledge_contents_of_base: ['organization_id'],
  knowledge_contents_pkey: ['organization_id'],
  knowledge_files_chosen: ['organization_id', 'knowledge_base_id'],
  knowledge_files_newest: ['organization_id', 'knowledge_base_id'],
  knowledge_files_unread: ['organization_id'],
  knowledge_files_failed: ['organization_id'],
  products_newest: ['organization_id', 'product_set_id'],
  // The ends of a stage.
  deals_in_stage: ['stage_uuid'],
  // The links of one deal.
  deal_companies_pkey: ['organization_id', 'deal_id'],
  deal_contacts_pkey: ['organization_id', 'deal_id'],
  // The deals of one company, and of one contact.
  deal_companies_of_company_in_order: ['organization_id', 'company_id'],
  deal_contacts_of_contact_in_order: ['organization_id', 'contact_id'],
  // What belongs to one deal, in its order, from the beginning or from a cursor.
  deal_activities_in_order: ['organization_id', 'deal_id'],
  deal_events_pkey: ['organization_id', 'deal_id'],
  deal_files_in_order: ['organization_id', 'deal_id'],
  // The activities with one contact.
  deal_activities_of_contact: ['organization_id', 'contact_id'],
  deal_items_in_order: ['organization_id', 'deal_id'],
  // What belongs to one contact, and to one company, in its order; the activities of companies with one contact.
  company_activities_in_order: ['organization_id', 'company_id'],
  company_activities_of_contact: ['organization_id', 'contact_id'],
  company_files_in_order: ['organization_id', 'company_id'],
  contact_activities_in_order: ['organization_id', 'contact_id'],
  contact_files_in_order: ['organization_id', 'contact_id'],
  // The contacts of one company, and the companies of one contact.
  company_contacts_in_order: ['organization_id', 'company_id'],
  company_contacts_of_contact_in_order: ['organization_id', 'contact_id'],
  // What belongs to one task, and to one checklist, in its order.
  checklists_in_order: ['organization_id', 'task_id'],
  task_files_in_order: ['organization_id', 'task_id'],
  checklist_items_in_order: ['organization_id', 'checklist_id'],
  // The tasks about one record, in the order of their ids.
  tasks_of_company: ['organization_id', 'company_id'],
  tasks_of_contact: ['organization_id', 'contact_id'],
  tasks_of_deal: ['organization_id', 'deal_id'],
  // The keys of one record, now and before it was removed.
  external_keys_of_resource: ['organization_id', 'resource_id'],
  change_keys_pkey: ['organization_id', 'resource_id'],
  // The newest entries, from the first or from a cursor; that a page begins at its cursor is tested where there are many.
  audit_entries_pkey: ['organization_id'],
  // A key is looked for in every partition.
  ...Object.fromEntries(answersByDay.map(name => [keyOf(name), ['organization_id', 'application_id', 'key']])),
  // The jobs of one application, newest first, from the first or from a cursor; those of an organization that go on.
  bulk_jobs_newest: ['organization_id', 'application_id'],
  bulk_jobs_of_type: ['organization_id', 'application_id', 'entity_type'],
  bulk_jobs_unfinished: ['organization_id'],
  // The targets of one job from a place on, and its latest errors.
  bulk_job_targets_pkey: ['organization_id', 'job_id'],
  bulk_job_errors_pkey: ['organization_id', 'job_id'],
  // The oldest event; that a page begins at its cursor is tested where there are many.
  changes_pkey: ['organization_id'],
}

/**
 * Statements that may walk through what there is of the organization. A knowledge base is removed seldom, and all bases of an
 * organization have at most 100,000 files.
 */
export const runsSeldom = new Set(['lock_files_of_knowledge_base'])

/**
 * Statements about one of some dozen bulk jobs, as there are in tests: of several indexes that fit, so few rows give no reason to
 * prefer one.
 */
export const amongFew = new Set(['select_bulk_job', 'select_bulk_job_of_key'])

export function sequentialScans({ nodes }: Plan): string[] {
  return nodes.filter(isSequential).map(({ table }) => `reads the whole of ${table}`)
}

function isSequential({ type, table }: PlanNode): boolean {
  return type === 'Seq Scan' && table !== undefined && largeTables.has(table)
}

/** Tells what a plan does worse than to find rows of large tables by their whole key. */
export type KeyCheck = (plan: Plan) => string[]

export async function keyCheck(database: Database): Promise<KeyCheck> {
  const indexes = await database.search(selectIndexes, [[...largeTables]])
  const columnsOf = new Map(indexes.map(({ name, columns }) => [String(name), textsOf(columns)]))
  // A day without answers has nothing that could be read in vain. One that began a moment ago, at midnight, has a few, of
  // which the planner knows nothing yet.
  const daysWithAnswers = await database.search(selectDaysWithAnswers, [answersByDay])
  const filled = daysWithAnswers.map(({ name }) => keyOf(String(name)))
  const emptyKeys = new Set(answersByDay.map(keyOf).filter(name => !filled.includes(name)))
  // Where the planner knows that there are few rows, it has no reason to prefer one index of the organization to another.
  const few = new Set((await database.search(selectIndexesOfFew, [[...largeTables]])).map(({ name }) => String(name)))
  return plan => [
    ...sequentialScans(plan),
    ...plan.nodes.flatMap(({ index = '', indexCondition }) => {
      const isSmall = emptyKeys.has(index) || few.has(index)
      const columns = isSmall ? ['organization_id'] : (enough[index] ?? columnsOf.get(index) ?? [])
      const missing = columns.filter(column => !new RegExp(`(?<![.\\w])${column}\\b`, 'u').test(indexCondition))
      return missing.length === 0 ? [] : [`uses ${index} without ${missing.join(', ')}: ${indexCondition}`]
    }),
  ]
}

const selectDaysWithAnswers = statement(
  'test_days_with_answers',
  'select c.relname as name from pg_class c where c.relname = any ($1::text[]) and c.reltuples > 0',
)

const selectIndexesOfFew = statement(
  'test_indexes_of_few_rows',
  `select x.relname::text as name
     from pg_index i
     join pg_class x on x.oid = i.indexrelid
     join pg_class r on r.oid = i.indrelid
    where r.relname = any ($1::text[]) and r.reltuples between 0 and 100`,
)

const selectIndexes = statement(
  'test_indexes',
  `select x.relname::text as name,
          (select array_agg(a.attname::text order by k.place)
             from unnest(i.indkey) with ordinality as k(number, place)
             join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
            where k.place <= i.indnkeyatts) as columns
     from pg_index i
     join pg_class x on x.oid = i.indexrelid
     join pg_class r on r.oid = i.indrelid
    where r.relname = any ($1::text[])`,
)

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

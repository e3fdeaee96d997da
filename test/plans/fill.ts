import { withoutCostly } from '../../bench/without-costly.ts'
import type { Database } from '../../server/src/kernel/sql/index.ts'
import type { TestOrganization } from '../support/organization.ts'

/** Records of each kind, unless told; the tables beside them have as many rows or more. */
export const records = 100_000

/** Records of each kind where nothing but summaries and searches is asked for: a fifth is still more than a search may read. */
export const fewerRecords = 62_500

/** The number of the one record of each kind that is called by the rare word. */
export const rare = 61_234
export const rareWord = 'Zbigniew'

const families = ['Petrova', 'Ivanov', 'Smith', 'Garcia', 'Okafor', 'Tanaka', 'Weber', 'Rossi', 'Novak', 'Silva']
/** Its other word, which each tenth has. */
export const rareFamily = families[Math.floor(rare / 7) % 10]

/** The id of a filled record, which has the key `<kind>-<number>`. */
export function idOf(kind: keyof typeof digits, number: number): string {
  return `${digits[kind]}0000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}

export function createdAt(number: number): string {
  return new Date(Date.parse('2026-01-01T00:00:00Z') + number * 60_000).toISOString()
}

const digits = { contact: 1, company: 2, deal: 3, task: 6 }

/**
 * Fills an organization as years of use would, by SQL alone: every deal has a company and a contact, every task
 * all three, every record a key, and names are of a small vocabulary, so that a word can be frequent.
 */
export async function fill(
  database: Database,
  organization: TestOrganization,
  { count = records, removed = 10_000 } = {},
): Promise<void> {
  const rows = [
    recordRows({ organization, count }),
    rowsOfLinks({ organization, count }),
    rowsBeside(organization, count),
    rowsOfRemoved(organization, removed),
  ]
  await withoutCostly(database, rows.join('\n'))
}

interface Filling {
  readonly organization: TestOrganization
  readonly count: number
  /** The number of the first deal that is open: those before were won after an hour, with amounts. All are open, unless told. */
  readonly firstOpen?: number
  /** Whether the records are found by the words in their names, whose indexes cost most of a filling. */
  readonly isSearched?: boolean
}

/**
 * Fills organizations with what a summary reads alone: records that nobody searches for, and their links. Half of the deals were
 * won, and stood in the first stage until then.
 */
export async function fillForReports(database: Database, ...organizations: readonly TestOrganization[]): Promise<void> {
  await fillRecords(
    database,
    organizations.map(organization => ({
      organization,
      count: fewerRecords,
      firstOpen: fewerRecords / 2,
      isSearched: false,
    })),
  )
}

/** Fills organizations with what a search reads alone: so many records of each kind, and their links. */
export async function fillForSearches(
  database: Database,
  ...filled: readonly Pick<Filling, 'organization' | 'count'>[]
): Promise<void> {
  await fillRecords(database, filled)
}

async function fillRecords(database: Database, filled: readonly Filling[]): Promise<void> {
  await withoutCostly(database, filled.map(filling => recordRows(filling) + rowsOfLinks(filling)).join('\n'))
}

const seriesOf = (count: number) => `generate_series(1, ${count}) as n`
// Ids of one kind rise with n, as those of the server do with time.
const uuid = (digit: string) => `(${digit} || '0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
const [contactId, companyId, dealId, otherId] = [uuid('1'), uuid('2'), uuid('3'), uuid('4')]
const [removedId, taskId, contactFileId, companyFileId] = [uuid('5'), uuid('6'), uuid('7'), uuid('8')]
const time = `timestamptz '2026-01-01Z' + n * interval '1 minute'`
const hourLater = `${time} + interval '1 hour'`
const family = `(array[${families.map(name => `'${name}'`).join(',')}])[1 + n / 7 % 10]`
const person = `case n when ${rare} then '${rareWord}' else (array['Anna','Boris','Chen','Diana','Elif'])[1 + n % 5] end`
const trade = `case n when ${rare} then '${rareWord}' else (array['Trading','Chairs','Tables','Lamps'])[1 + n % 4] end`

function recordRows({ organization, count, firstOpen = 1, isSearched = true }: Filling): string {
  const { id, applicationId, pipelineId, stages, operator } = organization
  const searched = (words: string) => (isSearched ? words : `''`)
  const ofDeal = (won: string, open: string) => `case when n < ${firstOpen} then ${won} else ${open} end`
  const series = seriesOf(count)
  const head = 'organization_id, id, version, created_at, updated_at, created_by_application_id, owner_uuid'
  const tail = 'custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields'
  const headOf = (recordId: string) => `'${id}', ${recordId}, 1, ${time}, ${time}, '${applicationId}', '${operator}'`
  return `
    insert into contacts (${head}, first_name, last_name, contact_data, ${tail})
    select ${headOf(contactId)}, first, last, '{"phones": [], "emails": []}', '{}', '{}',
           ${searched(`lower(first || ' ' || last)`)},
           ${searched(`(12020000000 + n * 37) || ' ' || lower(first) || n || '@example.com'`)}, ''
      from (select n, ${person} as first, ${family} as last from ${series}) as s;

    insert into companies (${head}, name, websites, contact_data, ${tail})
    select ${headOf(companyId)}, name, '[]', '{"phones": [], "emails": []}', '{}', '{}', ${searched('lower(name)')},
           ${searched('(13020000000 + n * 37)::text')}, ''
      from (select n, ${family} || ' ' || ${trade} || ' ' || n as name from ${series}) as s;

    insert into deals (${head}, kind, title, amount, currency, items_total, pipeline_id, stage_uuid, status, rank,
      stage_changed_at, closed_at, stage_span, items_count, activities_count, files_count, ${tail})
    select ${headOf(dealId)}, 'ordinary', title, ${ofDeal('10', 'null')}, ${ofDeal(`'USD'`, 'null')}, 1.5, '${pipelineId}',
           ${ofDeal(`'${stages.won}'`, `'${stages.first}'`)}::uuid, ${ofDeal(`'won'`, `'open'`)},
           'a0' || lpad(to_hex(${count} - n), 6, '0') || 'V', ${ofDeal(hourLater, time)}, ${ofDeal(hourLater, 'null')},
           ${ofDeal('2', '1')}, 1, 1, 0, '{}', '{}', ${searched('lower(title)')}, '', ''
      from (select n, ${trade} || ' for ' || ${family} as title from ${series}) as s;

    insert into tasks (${head.replace('owner_uuid', 'assignee_uuid')}, title, type, status, priority, deal_id, contact_id,
      company_id, checklist_items_total, checklist_items_done, files_count, ${tail})
    select ${headOf(taskId)}, title, 'call', 'todo', 'medium', ${dealId}, ${contactId}, ${companyId}, 1, 0, 0, '{}', '{}',
           ${searched('lower(title)')}, '', ''
      from (select n, ${trade} || ' and ' || ${family} as title from ${series}) as s;`
}

/** The links of records, and where deals stood. */
function rowsOfLinks({ organization, count, firstOpen = 1 }: Filling): string {
  const { id, pipelineId, stages } = organization
  const series = seriesOf(count)
  return `
    insert into deal_contacts select '${id}', ${dealId}, ${contactId}, 0 from ${series};
    insert into deal_companies select '${id}', ${dealId}, ${companyId}, 0 from ${series};
    insert into company_contacts (organization_id, id, version, created_at, updated_at, company_id, contact_id, role,
      rank)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${companyId}, ${contactId}, 'Buyer', 'a0' from ${series};

    insert into deal_stage_spans
    select '${id}', ${dealId}, 1, '${pipelineId}', '${stages.first}', ${time},
           case when n < ${firstOpen} then ${hourLater} end from ${series};
    insert into deal_stage_spans
    select '${id}', ${dealId}, 2, '${pipelineId}', '${stages.won}', ${hourLater} from ${series} where n < ${firstOpen};`
}

function rowsBeside({ id, applicationId }: TestOrganization, count: number): string {
  const series = seriesOf(count)
  const kinds = `(values ('contact', '1'), ('company', '2'), ('deal', '3'), ('task', '6')) as kinds(kind, digit)`
  return `
    insert into deal_items (organization_id, id, version, created_at, updated_at, deal_id, name, quantity, price,
      discount_type, discount, tax_mode, tax_rate, rank, subtotal, discount_amount, tax_amount, total)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${dealId}, 'Chair', 1, 1.50, 'percent', 0, 'none', 0, 'a0', 1.50, 0.00,
           0.00, 1.50 from ${series};
    insert into deal_activities (organization_id, id, version, created_at, updated_at, deal_id, type, subject,
      occurred_at, contact_id)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${dealId}, 'note', 'Chairs', ${time}, ${contactId} from ${series};
    insert into contact_activities (organization_id, id, version, created_at, updated_at, contact_id, type, subject,
      occurred_at)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${contactId}, 'note', 'Chairs', ${time} from ${series};
    insert into company_activities (organization_id, id, version, created_at, updated_at, company_id, type, subject,
      occurred_at, contact_id)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${companyId}, 'note', 'Chairs', ${time}, ${contactId} from ${series};
    insert into deal_events (organization_id, deal_id, id, kind, created_at, deal_version, actor_type, request_id, data)
    select '${id}', ${dealId}, ${otherId}, 'deal.created', ${time}, 1, 'application', ${otherId}, '{}' from ${series};

    insert into files (organization_id, id, purpose, name, media_type, size_bytes, sha256, created_at)
    select '${id}', ${otherId}, 'attachment', 'Offer', 'text/plain', 1, '', ${time} from ${series};
    insert into deal_files (organization_id, id, version, created_at, updated_at, deal_id, name, mime_type, size_bytes,
      sha256)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${dealId}, 'Offer', 'text/plain', 1, '' from ${series};
    insert into files (organization_id, id, purpose, name, media_type, size_bytes, sha256, created_at)
    select '${id}', file, 'attachment', 'Offer', 'text/plain', 1, '', ${time}
      from ${series}, unnest(array[${contactFileId}, ${companyFileId}]) as file;
    insert into contact_files (organization_id, id, version, created_at, updated_at, contact_id, name, mime_type, size_bytes,
      sha256)
    select '${id}', ${contactFileId}, 1, ${time}, ${time}, ${contactId}, 'Offer', 'text/plain', 1, '' from ${series};
    insert into company_files (organization_id, id, version, created_at, updated_at, company_id, name, mime_type, size_bytes,
      sha256)
    select '${id}', ${companyFileId}, 1, ${time}, ${time}, ${companyId}, 'Offer', 'text/plain', 1, '' from ${series};
    insert into task_files (organization_id, id, version, created_at, updated_at, task_id, name, mime_type, size_bytes,
      sha256)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${taskId}, 'Offer', 'text/plain', 1, '' from ${series};

    insert into checklists (organization_id, id, version, created_at, updated_at, task_id, title, rank,
      item_set_version)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${taskId}, 'Before the call', 'a0', 1 from ${series};
    insert into checklist_items (organization_id, id, version, created_at, updated_at, checklist_id, text, is_done,
      rank)
    select '${id}', ${otherId}, 1, ${time}, ${time}, ${otherId}, 'Look up the last offer', false, 'a0' from ${series};

    insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
    select '${id}', '${applicationId}', kind, false, kind || '-' || n, ${uuid('digit')}, ${time} from ${series}, ${kinds};

    insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version, changed_fields,
      occurred_at, actor_type, application_id, request_id, transaction_id)
    select '${id}', n, ${otherId}, 'contact.created', 'contact', ${contactId}, 'created', 1, '{}', ${time}, 'application',
           '${applicationId}', ${otherId}, ${otherId} from ${series};
    update organization_feed set seq = ${count}, last_changes_seq = ${count} where organization_id = '${id}';
    insert into last_changes (organization_id, kind, updated_at, resource_id)
    select '${id}', kind, ${time}, ${uuid('digit')} from ${series}, ${kinds};

    insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, application_id,
      actor_type, request_id, version_after, changes, about_ids)
    select '${id}', ${otherId}, ${time}, 'contact', ${contactId}, 'contact.created', '${applicationId}', 'application',
           ${otherId}, 1, '[]', array[${contactId}] from ${series};

    insert into merged_records (organization_id, id, kind, into_id, merged_at)
    select '${id}', ${otherId}, 'contact', ${contactId}, ${time} from ${series};

    insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body, person_ids)
    select '${id}', '${applicationId}', n::text, '\\x00', ${time}, 201, '{"data": {}, "meta": {}}', array[${contactId}]
      from ${series};`
}

/** What is left of removed deals: their keys, as tombstones and for their events. */
function rowsOfRemoved({ id, applicationId }: TestOrganization, count: number): string {
  return `
    insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, reason, changed_at)
    select '${id}', '${applicationId}', 'deal', true, 'removed-' || n, ${removedId}, 'deleted', ${time}
      from ${seriesOf(count)};

    insert into change_keys (organization_id, application_id, resource_id, key, removed_at)
    select '${id}', '${applicationId}', ${removedId}, 'removed-' || n, ${time} from ${seriesOf(count)};`
}

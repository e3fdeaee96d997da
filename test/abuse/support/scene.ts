import { fill } from '../../../bench/fill.ts'
import { bounds } from '../../../server/src/kernel/index.ts'
import { type Database, statement } from '../../../server/src/kernel/sql/index.ts'
import type { Client } from '../../support/client.ts'

/** What the attacks find in the database; made once for all of them. */
export interface Scene {
  /** The data directory that the server of each attack is started on. */
  readonly folder: string
  /** Who attacks: an organization with large companies, many contacts and a long feed. */
  readonly loud: { readonly token: string; readonly organizationId: string }
  /** Who has a few contacts, and wants to be served all the time. */
  readonly quiet: { readonly token: string; readonly contactId: string }
  /** The feed of the loud organization before its first event. */
  readonly feedStart: string
  readonly events: number
}

/** A legal company of 100 KB: every character takes four bytes. */
function largeCompany(number: number): object {
  const text = (length: number) => '🂡'.repeat(length)
  const line = text(200)
  const addresses = Array.from({ length: 10 }, (_, index) => ({
    label: `${index}`,
    region: line,
    city: line,
    postalCode: text(32),
    line1: line,
    line2: line,
  }))
  const websites = Array.from({ length: 10 }, (_, index) => `https://example.com/${index}/`.padEnd(2048, 'x'))
  const [externalId, name] = [`large-${number}`, `Large ${number}`]
  return { externalId, name, description: text(10_000), websites, contactData: { addresses } }
}

export async function createLargeCompanies(client: Client, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const { status, error } = await client.post('/companies', largeCompany(number))
    if (status !== 201) throw new Error(`a large company: ${status} ${JSON.stringify(error)}`)
  }
}

// Each pair of neighbours stands in it once: so many words of two letters that every contact has.
const pairs = [
  ...[...'cdefghijk'].map(letter => `b${letter}`),
  'a',
  ...[...'bcdefghijlmnopqrstuvwxyz'].map(letter => `${letter}a`),
].join('')

const twoLetterWords = (count: number) => Array.from({ length: count }, (_, index) => pairs.slice(index, index + 2))

/** As many two-letter words as a search may have; each contact has all but the last. */
export const hugeSearch = [...twoLetterWords(65), 'zz'].join(' ')

/** As many words of three letters, which an index knows; each contact has all but the last. */
export const longSearch = [...Array.from({ length: 48 }, (_, index) => pairs.slice(index, index + 3)), 'zzz'].join(' ')

/** As many as records are looked for by; each contact has all but the last, so every one is read to the end. */
export const costlySearch = [...twoLetterWords(bounds.searchWords.most - 1), 'zz'].join(' ')

/** Long names, each with a mistake: as many words may have been meant as a search looks for. */
export const mistakenSearch = 'petrovskayaa konstantinovv okafforstrand garcialopezz'

export async function createContacts(database: Database, organizationId: string, count: number): Promise<void> {
  const [application] = await database.query(selectApplication, [organizationId])
  // Building an index at once is much faster than adding row by row to it.
  const indexes = await database.query(selectSearchIndexes, [])
  await database.script(`drop index ${indexes.map(({ name }) => name).join()}`)
  await fill(database, organizationId, [String(application?.id)], count)
  // A script, because a statement of the product may take 30 s.
  await database.script(`
    update contacts set search_contact_data = '${pairs}@example.com ' || search_contact_data
     where organization_id = '${organizationId}'`)
  for (const { definition } of indexes) await database.script(String(definition))
}

const selectSearchIndexes = statement(
  'abuse_search_indexes',
  `select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
    where i.indrelid = 'contacts'::regclass and m.amname = 'gin'`,
)

const selectApplication = statement('abuse_application', 'select a.id from applications a where a.organization_id = $1')

/** Events of contacts behind those that there are; none of a task. */
export async function createEvents(database: Database, organizationId: string, count: number): Promise<void> {
  await database.script(`
    insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version, changed_fields,
      occurred_at, actor_type, request_id, transaction_id)
    select f.organization_id, f.seq + n, id, 'contact.updated', 'contact', id, 'updated', n, '{description}', now(),
           'application', id, id
      from organization_feed f, generate_series(1, ${count}) as n,
           lateral (select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid as id) as i
     where f.organization_id = '${organizationId}';
    update organization_feed set seq = seq + ${count} where organization_id = '${organizationId}'`)
}

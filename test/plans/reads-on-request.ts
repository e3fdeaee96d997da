import { expect, test } from 'vitest'
import { bounds, writeCursor } from '../../server/src/kernel/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { testCabinetReads } from './cabinet-reads.ts'
import { idOf, rare, records } from './fill.ts'
import { indexesOf, type Plan, rowsRead } from './plan.ts'
import type { RecordedApi } from './recorded-api.ts'
import { testSearchByKey } from './search-by-key.ts'

interface Filled {
  /** The API and its organization, once they are there. */
  of(): { readonly api: RecordedApi; readonly organization: TestOrganization }
  expectPlans(path: string, expected: { readonly items: number; readonly pages: number }): Promise<Plan[]>
  feedCursorAt(seq: number): string
}

/** Tests of what a query parameter asks for beside a record, of a change, or of one record alone. */
export function testReadsOnRequest({ of, expectPlans, feedCursorAt }: Filled): void {
  testCabinetReads({ organization: () => of().organization, database: () => of().api.test.database, expectPlans })
  testSearchByKey(of)

  test('the companies of a contact are found by its links', async () => {
    const { organization } = of()
    const path = `/contacts/${idOf('contact', rare)}?include=companies`
    expect((await organization.client.get(path)).meta.companies).toMatchObject([{ id: idOf('company', rare) }])
    await expectPlans(path, { items: 0, pages: 40 })
  })

  test('a bounded number of the companies of a contact is read, however many there are', async () => {
    const { api, organization } = of()
    const contact = idOf('contact', rare + 3)
    // Older than all others, so that no search of the newest meets them.
    await api.test.database.script(`
      insert into company_contacts (organization_id, id, version, created_at, updated_at, company_id, contact_id, rank)
      select '${organization.id}', ('0' || substr(c.id::text, 2))::uuid, 1, now(), now(), c.id, '${contact}', 'a1'
        from companies c where c.organization_id = '${organization.id}' and c.id < '${idOf('company', 5000)}'`)
    const path = `/contacts/${contact}?include=companies`
    expect((await organization.client.get(path)).meta.companiesTruncated).toBe(true)
    const plans = await expectPlans(path, { items: 0, pages: 20_000 })
    expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.contactLinks.most + 1)
  })

  test('the records of a page of the change feed are read by one statement, each by its key', async () => {
    const { api, organization } = of()
    const path = `/changes?include=record&after=${feedCursorAt(records / 2)}`
    const plans = await expectPlans(path, { items: 50, pages: 1000 })
    expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(51)
    expect(indexesOf(plans)).toContain('contacts_pkey')
    const sent = await api.recorded(() => organization.client.get(path))
    expect(sent.map(({ statement: { name } }) => name)).toEqual(['select_changes', 'read_contact_texts'])
  })

  test('the trail of a record begins at its cursor, and a page looks no further than it may', async () => {
    const { api, organization } = of()
    const id = idOf('deal', rare)
    // Older than all others, so that no page of the whole log meets them.
    await api.test.database.script(`
      insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type,
        request_id, version_after, changes)
      select '${organization.id}', ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), 'deal', '${id}',
             'deal.updated', 'system', '${id}', 1, '[]' from generate_series(1, ${records}) as n`)
    const page = { items: 50, pages: 60 }
    const path = `/audit?resourceId=${id}`
    await expectPlans(path, page)
    const scope = {
      entry: 'api',
      organizationId: organization.id,
      route: '/api/v1/crm/audit',
      filters: { resourceId: id },
    } as const
    const middle = { id: idOf('deal', records / 2).replace(/^3/u, '0') }
    await expectPlans(`${path}&cursor=${writeCursor(api.services.secret, scope, middle)}`, page)
    const plans = await expectPlans(`${path}&action=nothing.happened`, { items: 0, pages: 2000 })
    expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.auditScan.most)
    expect(plans.flatMap(({ nodes }) => nodes).filter(({ type, rows }) => type === 'Sort' && rows > 101)).toEqual([])
  })
}

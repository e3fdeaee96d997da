import { expect, onTestFinished, test } from 'vitest'
import { boardBounds } from '../../server/src/cabinet/board/board-bounds.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import type { Database } from '../../server/src/kernel/sql/index.ts'
import { listOf } from '../conformance/support/uploads.ts'
import type { TestOrganization } from '../support/organization.ts'
import { idOf, rare } from './fill.ts'
import { indexesOf, type Plan, rowsRead } from './plan.ts'

interface Filled {
  organization(): TestOrganization
  database(): Database
  expectPlans(path: string, expected: { readonly items: number; readonly pages: number }): Promise<Plan[]>
}

/** Tests of what the pages of the cabinet read. */
export function testCabinetReads({ organization, database, expectPlans }: Filled): void {
  const at = (rest: string) => `/cabinet/api/o/${organization().id}${rest}`
  const dataOf = async (rest: string) => (await organization().client.get(at(rest))).data
  const mostRows = (plans: readonly Plan[]) => Math.max(...plans.map(rowsRead))

  test('a count reads a bounded number of records at a time, and ends', async () => {
    const most = { count: bounds.countedRecords.most, isExact: false, capped: 'rows' }
    for (const kind of ['contacts', 'companies', 'deals', 'tasks']) {
      expect(await dataOf(`/counts/${kind}`)).toEqual(most)
      const plans = await expectPlans(at(`/counts/${kind}`), { items: 0, pages: 12_000 })
      expect(mostRows(plans)).toBeLessThanOrEqual(bounds.countedRecords.most + 1)
    }
    const rest = '/counts/contacts?companyId=00000000-0000-4000-8000-000000000000'
    expect(await dataOf(rest)).toEqual({ count: 0, isExact: true, capped: null })
    await expectPlans(at(rest), { items: 0, pages: 20 })
  })

  test('a facet reads the newest records alone', async () => {
    for (const rest of [
      '/facets/deals?by=stageUuid',
      '/facets/deals?by=status&status=open',
      '/facets/contacts?by=tagIds',
    ]) {
      const plans = await expectPlans(at(rest), { items: 0, pages: 12_000 })
      expect(mostRows(plans)).toBeLessThanOrEqual(bounds.facetRecords.most + 1)
    }
  })

  test('the board of deals reads a bounded number of deals of each stage, in the order of the stage', async () => {
    const { stages } = await dataOf('/boards/deals')
    const shown = listOf(stages)
    expect(shown).toContainEqual(expect.objectContaining({ count: boardBounds.boardStageScan.most, isExact: false }))
    const looks = boardBounds.boardStageScan.most + 1
    for (const rest of ['/boards/deals', '/boards/deals?priority=high&search=deal', '/boards/deals?cards=200']) {
      const plans = await expectPlans(at(rest), { items: 0, pages: shown.length * 3 * looks })
      // To sort equal ranks by their ids, PostgreSQL reads the one behind them.
      expect(mostRows(plans)).toBeLessThanOrEqual(looks + 1)
      expect(indexesOf(plans)).toContain('deals_in_stage')
    }
  })

  test('the page of a record looks up what it shows by keys and links', async () => {
    for (const kind of ['contact', 'company', 'deal', 'task'] as const) {
      const plural = kind === 'company' ? 'companies' : `${kind}s`
      await expectPlans(at(`/pages/${plural}/${idOf(kind, rare)}`), { items: 0, pages: 80 })
    }
  })

  test('the page of a record with many links looks at no more of them than it counts', async () => {
    const [contact, company] = [idOf('contact', 2), idOf('company', 2)]
    const { id } = organization()
    const [first, last] = [idOf('deal', 100), idOf('deal', 20_000)]
    const added = `deal_id between '${first}' and '${last}'`
    for (const [table, column, linked] of [
      ['deal_contacts', 'contact_id', contact],
      ['deal_companies', 'company_id', company],
    ]) {
      await database().script(
        `insert into ${table} (organization_id, deal_id, ${column}, position)
         select '${id}', d.id, '${linked}', 1 from deals d where d.organization_id = '${id}' and d.id between '${first}' and '${last}'`,
      )
      onTestFinished(() => database().script(`delete from ${table} where ${column} = '${linked}' and ${added}`))
    }
    for (const path of [`/pages/contacts/${contact}`, `/pages/companies/${company}`]) {
      const plans = await expectPlans(at(path), { items: 0, pages: 1200 })
      expect(mostRows(plans)).toBeLessThanOrEqual(bounds.linkedCount.most + 1)
    }
    expect(await dataOf(`/pages/companies/${company}`)).toMatchObject({
      counts: { deals: { count: bounds.linkedCount.most, isExact: false } },
      linked: { deals: { 0: { id: last } } },
    })
  })

  test('the history of a record and the jobs are found in the order of their ids', async () => {
    const plansOf = async (rest: string) => {
      const { items } = await organization().client.get(at(rest))
      return expectPlans(at(rest), { items: items.length, pages: 200 })
    }
    const plans = await plansOf(`/history/contacts/${idOf('contact', rare)}`)
    expect(indexesOf(plans)).toContain('audit_entries_of_record_in_order')
    await plansOf('/jobs?limit=1')
  })
}

import { expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { createdAt, idOf, rare } from './fill.ts'
import { type Plan, rowsRead } from './plan.ts'

type Kinds = 'contacts' | 'companies' | 'deals' | 'tasks'
type ExpectPlans = (path: string, expected: { readonly items: number; readonly pages: number }) => Promise<Plan[]>

/** The orders that only one kind has. */
const own: Readonly<Record<string, readonly string[]>> = {
  deals: ['amount', 'expectedCloseDate'],
  tasks: ['dueDate'],
}

/** Tests of lists of one kind with filters and orders. */
export function testChosenLists(plural: Kinds, expectPlans: ExpectPlans): void {
  const name = plural === 'contacts' || plural === 'companies' ? 'name' : 'title'
  const orders = ['createdAt', 'updatedAt', name, ...(own[plural] ?? [])].flatMap(word => [word, `-${word}`])

  test.each(orders)(
    'a page in the order of %s touches the records that it shows, in the index of the order',
    async sort => {
      const plans = await expectPlans(`/${plural}?sort=${sort}`, { items: 50, pages: 1500 })
      expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.listScatteredScan.most)
    },
  )

  // A range of updatedAt leaves nothing to look at in its own order.
  test.each(orders.filter(word => !word.endsWith('updatedAt')))(
    'a page of what no record has looks at a bounded number of records in the order of %s',
    async sort => {
      const plans = await expectPlans(`/${plural}?sort=${sort}&updatedTo=2000-01-01T00:00:00Z`, {
        items: 0,
        pages: 45_000,
      })
      expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.listScan.most)
    },
  )

  test.each([
    ...(plural === 'contacts' ? [`email=anna${rare + 1}@example.com`, `companyId=${idOf('company', rare)}`] : []),
    ...(plural === 'deals' || plural === 'companies' ? [`contactId=${idOf('contact', rare)}`] : []),
    ...(plural === 'tasks' ? [`dealId=${idOf('deal', rare)}`] : []),
    `tagIds=${idOf('contact', 1)}`,
    `${plural === 'tasks' ? 'assigneeUuid' : 'ownerUuid'}=${idOf('contact', 1)}`,
    `createdFrom=${createdAt(rare)}&createdTo=${createdAt(rare + 1)}`,
  ])('a page of the few records with %s is found by an index', async query => {
    const items = /^(?:tagIds|ownerUuid|assigneeUuid|email)/u.test(query) ? 0 : 1
    const plans = await expectPlans(`/${plural}?sort=${name}&${query}`, { items, pages: 1000 })
    expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(bounds.listScatteredScan.most / 10)
  })
}

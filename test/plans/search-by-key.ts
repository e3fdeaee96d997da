import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { idOf, rare } from './fill.ts'
import { sequentialScans } from './large-tables.ts'
import { executedPlan, rowsRead } from './plan.ts'
import type { RecordedApi } from './recorded-api.ts'

const setKey = statement(
  'test_set_key',
  'update external_keys set key = $1 where organization_id = $2 and kind = $3 and resource_id = $4',
)

interface Filled {
  readonly api: RecordedApi
  readonly organization: TestOrganization
}

const kinds = [
  ['contacts', 'contact'],
  ['companies', 'company'],
  ['deals', 'deal'],
  ['tasks', 'task'],
] as const

/** Tests how a user finds records by their keys. */
export function testSearchByKey(of: () => Filled): void {
  test.each(kinds)('among %s a key of one letter leads to its record by indexes alone', async (plural, kind) => {
    const { api, organization } = of()
    const id = idOf(kind, rare + 1)
    await api.test.database.query(setKey, ['k', organization.id, kind, id])
    const user = await aUser(api)
    await aMembership(api, user, organization.id, 'member')
    const browser = await aSignedInBrowser(api, user)
    const sent = await api.recorded(async () => {
      const { status, items } = await browser.get(`/o/${organization.id}/crm/${plural}?search=k&limit=1`)
      expect([status, items[0]?.id]).toEqual([200, id])
    })
    const looked = sent.filter(({ statement: { name } }) => /with_key$|^list_keyed_/u.test(name))
    expect(looked).toHaveLength(2)
    const plans = await Promise.all(looked.map(each => executedPlan(api.test.database, each)))
    expect(plans.flatMap(sequentialScans)).toEqual([])
    expect(Math.max(...plans.map(rowsRead))).toBeLessThanOrEqual(20)
    expect(Math.max(...plans.map(({ pages }) => pages))).toBeLessThanOrEqual(40)
  })
}

import { beforeAll, describe, expect, it } from 'vitest'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'

const given = useApi()
let organization: TestOrganization
beforeAll(async () => {
  organization = await given.shared()
})

async function created(path: string, body: object): Promise<string> {
  const answer = await organization.client.post(path, body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return String(answer.data.id)
}

async function listed(path: string): Promise<unknown[]> {
  const { status, items, body } = await organization.client.get(path)
  expect([path, status, status === 200 ? null : body]).toEqual([path, 200, null])
  return items.map(({ id }) => id)
}

describe('the filters of lists', () => {
  it('choose records by what they hold', async () => {
    const company = await created('/companies', aCompany())
    const contact = await created(
      '/contacts',
      aContact({
        ownerUuid: organization.operator,
        contactData: { emails: [{ value: 'Anna.P@example.com' }], phones: [{ value: '+1 202 555 0143' }] },
      }),
    )
    const link = await organization.client.put(`/companies/${company}/contacts`, {
      expectedVersion: 1,
      contacts: [{ id: contact }],
    })
    expect(link.status).toBe(200)
    const deal = await created(
      '/deals',
      aDeal({
        companies: [{ id: company }],
        contacts: [{ id: contact }],
        amount: '10',
        expectedCloseDate: '2026-03-31',
        priority: 'high',
      }),
    )
    const task = await created(
      '/tasks',
      aTask({ deal: { id: deal }, dueDate: '2026-03-31', assigneeUuid: organization.operator }),
    )
    for (const [query, id] of [
      [`/contacts?companyId=${company}`, contact],
      ['/contacts?email=anna.p@EXAMPLE.com', contact],
      ['/contacts?phone=%2B12025550143', contact],
      [`/contacts?ownerUuid=${organization.operator}&sort=name`, contact],
      [`/companies?contactId=${contact}`, company],
      [`/deals?companyId=${company}&contactId=${contact}&priority=high&priority=low&status=open&sort=-amount`, deal],
      ['/deals?expectedCloseFrom=2026-03-31&expectedCloseTo=2026-04-01&sort=expectedCloseDate', deal],
      [`/tasks?dealId=${deal}&dueFrom=2026-03-31&dueTo=2026-04-01&sort=dueDate`, task],
      ['/tasks?dueFrom=2026-03-31T12:00:00Z&status=todo&sort=-updatedAt', task],
    ] as const) {
      expect([query, await listed(query)]).toEqual([query, [id]])
    }
  })
})

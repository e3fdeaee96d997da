import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { Answer } from '../support/client.ts'
import type { Gathering } from '../support/gathering.ts'
import type { TestOrganization } from '../support/organization.ts'

/** Writes of two applications that share transactions: with references by id and by key, and one that is repeated. */
export async function writeInGroups({ together }: Gathering, { client, tag, application }: TestOrganization) {
  const { client: other } = await application()
  const group = async (send: () => readonly Promise<Answer>[], size: number) => {
    const answers = await together(size, () => Promise.all(send()))
    expect(answers.filter(({ status }) => status >= 300)).toEqual([])
    return answers.map(({ data }) => String(data.id))
  }
  const [contact, company, task] = [aContact(), aCompany(), aTask()]
  const [contactId = '', companyId = ''] = await group(
    () => [client.post('/contacts', contact), client.post('/companies', company)],
    2,
  )
  const byId = { contacts: [{ id: contactId }], companies: [{ id: companyId }] }
  const byKey = {
    contacts: [{ externalId: contact.externalId }],
    companies: [{ externalId: company.externalId }],
  }
  const key = randomUUID()
  await client.post('/tasks', task, { key })
  const [dealId = '', , taskId = ''] = await group(
    () => [
      client.post('/deals', aDeal(byKey)),
      other.post('/deals', aDeal(byId)),
      other.post('/tasks', aTask({ contact: { id: contactId } })),
      client.post('/tasks', task, { key }),
    ],
    4,
  )
  const changed = { expectedVersion: 1, description: 'Changed' }
  await group(
    () => [
      client.put(`/contacts/${contactId}/tags`, { expectedVersion: 1, tags: [{ id: tag }] }),
      ...[`/companies/${companyId}`, `/deals/${dealId}`, `/tasks/${taskId}`].map(path => client.patch(path, changed)),
    ],
    4,
  )
}

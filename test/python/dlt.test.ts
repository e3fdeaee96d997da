import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { useOrganizations } from '../sdk/support/given.ts'
import { runPython } from './support/python.ts'

const given = useOrganizations()

test('the tables of a warehouse follow the records: all of them, then what has changed and what is gone, also from another machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crm-dlt-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const crm = given.crm()
  const environment = {
    CRM_URL: given.api.url,
    CRM_TOKEN: given.organization.client.token,
    RUNTIME__DLTHUB_TELEMETRY: 'false',
    HOME: folder,
  }
  const load = (state: string) => runPython('test/python/programs/load.py', environment, folder, state)

  const anna = await crm.contacts.create({ firstName: 'Anna' })
  const boris = await crm.contacts.create({ firstName: 'Boris', contactData: { emails: [{ value: 'b@example.org' }] } })
  for (let at = 0; at < 101; at++) await crm.companies.create({ name: `Company ${at}` })
  await crm.tasks.create({ title: 'Call' })
  const deal = await crm.deals.create({ title: 'Chairs', contacts: [{ id: anna.id }] })
  const first = await load('laptop')
  expect(first).toMatchObject({
    done: 'everything',
    deals: ['Chairs'],
    tables: ['companies', 'contacts', 'deals', 'tasks'],
  })
  expect(first).toMatchObject({
    contacts: [
      ['Anna', 1],
      ['Boris', 1],
    ],
  })

  await crm.contacts.update(anna.id, { expectedVersion: 1, firstName: 'Anne' })
  await crm.contacts.update(anna.id, { expectedVersion: 2, firstName: 'Annette' })
  await crm.contacts.remove(boris.id, { expectedVersion: 1, mode: 'anonymize' })
  await crm.deals.remove(deal.id, { expectedVersion: 1 })
  await crm.contacts.create({ firstName: 'Clara' })
  const later = {
    done: 'changes',
    contacts: [
      ['Annette', 3],
      ['Clara', 1],
    ],
    deals: [],
  }
  expect(await load('laptop')).toMatchObject(later)
  expect(await load('another machine')).toMatchObject(later)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { raiseEpochOf } from '../../server/src/kernel/sql/index.ts'
import { useOrganizations } from '../sdk/support/given.ts'
import { runPython } from './support/python.ts'

const given = useOrganizations()

function loading() {
  const folder = mkdtempSync(join(tmpdir(), 'crm-dlt-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const environment = {
    CRM_URL: given.api.url,
    CRM_TOKEN: given.organization.client.token,
    RUNTIME__DLTHUB_TELEMETRY: 'false',
    HOME: folder,
  }
  return (state: string, ...dyingIn: readonly string[]) =>
    runPython('test/python/programs/load.py', environment, folder, state, ...dyingIn)
}

test('the tables of a warehouse follow the records: all of them, then what has changed and what is gone, also from another machine', async () => {
  const load = loading()
  const crm = given.crm()
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

test('a table whose records are all gone is empty, however it was filled and emptied', async () => {
  const load = loading()
  const crm = given.crm()
  const reload = () => given.api.test.database.query(raiseEpochOf, [given.organization.id])
  const anna = await crm.contacts.create({ firstName: 'Anna' })
  const aDeal = async (title: string) => (await crm.deals.create({ title, contacts: [{ id: anna.id }] })).id
  const first = await aDeal('Chairs')
  await load('laptop')
  await crm.deals.update(first, { expectedVersion: 1, title: 'Desks' })
  expect(await load('laptop')).toMatchObject({ done: 'changes', deals: ['Desks'] })
  await crm.deals.remove(first, { expectedVersion: 2 })
  await reload()
  expect(await load('laptop')).toMatchObject({ done: 'everything', deals: [] })
  await aDeal('Tables')
  expect(await load('another machine')).toMatchObject({ done: 'changes', deals: ['Tables'] })
})

test('a run that dies before it has prepared or loaded what it has read leaves its work to the next one, which does all of it', async () => {
  const load = loading()
  const crm = given.crm()
  const anna = await crm.contacts.create({ firstName: 'Anna' })
  await crm.deals.create({ title: 'Chairs', contacts: [{ id: anna.id }] })
  await expect(load('laptop', 'load')).rejects.toThrow('ended with 9')
  await crm.contacts.create({ firstName: 'Boris' })
  const both = [
    ['Anna', 1],
    ['Boris', 1],
  ]
  expect(await load('laptop')).toMatchObject({ done: 'everything', contacts: both })
  await crm.contacts.update(anna.id, { expectedVersion: 1, firstName: 'Anne' })
  await expect(load('laptop', 'normalize')).rejects.toThrow('ended with 9')
  await crm.contacts.create({ firstName: 'Clara' })
  const all = [
    ['Anne', 2],
    ['Boris', 1],
    ['Clara', 1],
  ]
  expect(await load('laptop')).toMatchObject({ done: 'changes', contacts: all })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Gathering, letGather } from '../support/gathering.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { fill, idOf, rare } from './fill.ts'
import { keyCheck, sequentialScans } from './large-tables.ts'
import { executedPlan, genericPlan } from './plan.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

// What a group sends is prepared, too, and keeps the plan that it was given, for one request or for sixty-four.

const count = 5000
const number = rare % count

let api: RecordedApi & Gathering
let organization: TestOrganization
let other: Client
let empty: TestDatabase
let sent: ReadonlyMap<string, Sent>

beforeAll(async () => {
  api = await letGather(holdGroups => startRecordedApi({ holdGroups }))
  empty = await createTestDatabase()
  organization = await anOrganization(api)
  other = (await organization.application()).client
  await fill(api.test.database, organization, { count, removed: 1000 })
  const all = await api.recorded(async () => {
    for (const group of [created, changed]) {
      const answers = await api.together(10, group)
      expect(answers.filter(({ status }) => status >= 300)).toEqual([])
    }
  })
  sent = new Map(all.filter(isOfGroup).map(each => [each.statement.name, each]))
}, 180_000)
afterAll(async () => {
  await api?.close()
  await empty?.drop()
})

const names = ['claim_keys', 'load_answers', 'try_keys', 'load_keys', 'try_tags', 'load_tags']
const isOfGroup = ({ statement: { name } }: Sent) =>
  names.includes(name) || /^(?:try|load)_(?!all|configuration)/u.test(name)

/** One of each kind for each application, with references by id and by key. */
function created(): Promise<Answer[]> {
  const [contact, company, deal] = [idOf('contact', number), idOf('company', number), idOf('deal', number)]
  const byId = { contacts: [{ id: contact }], companies: [{ id: company }] }
  const { client } = organization
  const byKey = {
    contacts: [{ externalId: `contact-${number + 1}` }],
    companies: [{ externalId: `company-${number + 1}` }],
  }
  return Promise.all([
    ...[client, other].map(by => by.post('/contacts', aContact())),
    ...[client, other].map(by => by.post('/companies', aCompany())),
    client.post('/deals', aDeal(byKey)),
    other.post('/deals', aDeal(byId)),
    client.post('/tasks', aTask({ deal: { externalId: `deal-${number + 1}` } })),
    other.post('/tasks', aTask({ deal: { id: deal }, contact: { id: contact }, company: { id: company } })),
    ...[client, other].map(by => by.post('/contacts/upsert', aContact())),
  ])
}

/** Some of each kind are changed, by their ids and by their keys. */
function changed(): Promise<Answer[]> {
  const { client, tag } = organization
  const expectedVersion = 1
  const tags = { expectedVersion, tags: [{ id: tag }] }
  const key = (kind: string) => ({ externalId: `${kind}-${number + 3}`, expectedVersion })
  const patch = { expectedVersion, description: 'Changed' }
  return Promise.all([
    client.put(`/contacts/${idOf('contact', number + 2)}/tags`, tags),
    other.put(`/tasks/${idOf('task', number + 4)}/tags`, tags),
    client.patch(`/companies/${idOf('company', number + 2)}`, patch),
    other.patch(`/companies/${idOf('company', number + 4)}`, patch),
    client.patch(`/deals/${idOf('deal', number + 2)}`, patch),
    other.patch(`/deals/${idOf('deal', number + 4)}`, patch),
    client.patch(`/tasks/${idOf('task', number + 2)}`, patch),
    client.post('/contacts/upsert', aContact(key('contact'))),
    client.post('/companies/upsert', aCompany(key('company'))),
    client.post('/tasks/upsert', aTask(key('task'))),
  ])
}

async function breachesIn(database: Database): Promise<Record<string, string[]>> {
  const check = await keyCheck(database)
  const found = await Promise.all(
    [...sent].map(async ([name, each]) => [name, check(await genericPlan(database, each))] as const),
  )
  return Object.fromEntries(found.filter(([, breaches]) => breaches.length > 0))
}

test('groups send the statements that this file examines', () => {
  const ofKinds = ['contact', 'company', 'deal', 'task'].flatMap(kind => [`try_${kind}_to_change`, `load_${kind}`])
  const ofReferred = ['contact', 'company', 'deal'].flatMap(kind => [`try_${kind}_to_refer`, `load_referred_${kind}`])
  expect([...sent.keys()].toSorted()).toEqual([...names, ...ofKinds, ...ofReferred].toSorted())
  expect(api.failures).toEqual([])
})

test('the statements of groups look up by the whole key where the plan was made in empty tables', async () => {
  expect(await breachesIn(empty.database)).toEqual({})
})

test('the statements of groups look up by the whole key among thousands of records', async () => {
  expect(await breachesIn(api.test.database)).toEqual({})
})

test('the statements of groups touch a few pages for each record that they name', async () => {
  const touched: Record<string, number> = {}
  for (const [name, each] of sent) {
    const plan = await executedPlan(api.test.database, each)
    expect(sequentialScans(plan)).toEqual([])
    if (plan.pages > 150) touched[name] = plan.pages
  }
  expect(touched).toEqual({})
})

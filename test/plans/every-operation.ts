import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { agentsPath, anAgent } from '../conformance/support/agent-requests.ts'
import { aFile, attach } from '../conformance/support/files.ts'
import { csv, upload } from '../conformance/support/imports.ts'
import { anIntegrationBody, integrationsPath } from '../conformance/support/integrations.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { callOperationsOfAgents } from './agent-operations.ts'
import { created, done } from './expected.ts'
import { callOperationsOfKnowledge } from './knowledge-operations.ts'
import { callMerges, callRemovals } from './removals.ts'

/** Calls every operation, in the forms that send statements of their own, and expects each to succeed. */
export async function callEveryOperation(organization: TestOrganization): Promise<void> {
  const { client, stages, tag } = organization
  const key = randomUUID()
  const beginning = await done(client.get('/changes/cursor'))
  const contact = aContact()
  const { data: anna } = await created(client.post('/contacts', contact, { key }))
  await created(client.post('/contacts', contact, { key }))
  const { data: boris } = await created(client.post('/contacts', aContact()))
  const { data: company } = await created(client.post('/companies', aCompany()))
  const parties = { companies: [{ id: company.id }], contacts: [{ id: anna.id }, { externalId: boris.externalId }] }
  const { data: deal } = await created(client.post('/deals', aDeal(parties)))
  const { data: other } = await created(client.post('/deals', aDeal(parties)))
  const about = { deal: { id: other.id }, contact: { externalId: boris.externalId }, company: { id: company.id } }
  const { data: task } = await created(client.post('/tasks', aTask(about)))

  await callOperationsOfLinks(client, [{ id: anna.id, role: 'Buyer' }, { externalId: boris.externalId }])
  await callOperationsOfChecklists(client)
  await callOperationsOfAgents(organization)
  await callOperationsOfKnowledge(organization)

  const required = {
    contacts: {},
    companies: { name: 'Northwind' },
    deals: { title: 'Chairs', ...parties },
    tasks: { title: 'Call', ...about },
  }
  for (const [plural, record] of [
    ['contacts', anna],
    ['companies', company],
    ['deals', deal],
    ['tasks', task],
  ] as const) {
    const { items, meta } = await done(client.get(`/${plural}?limit=1`))
    expect(items).toHaveLength(1)
    if (meta.nextCursor !== null) await done(client.get(`/${plural}?limit=1&cursor=${meta.nextCursor}`))
    await done(client.get(`/${plural}?externalId=${record.externalId}`))
    await done(client.get(`/${plural}?search=anna`))
    await done(client.get(`/search?q=anna&types=${plural === 'companies' ? 'company' : plural.slice(0, -1)}`))
    await done(client.get(`/${plural}/${record.id}`))
    if (plural === 'contacts') await done(client.get(`/contacts/${record.id}?include=companies`))
    await done(client.patch(`/${plural}/${record.id}`, { expectedVersion: 1, description: 'Changed' }))
    const upsert = {
      externalId: record.externalId,
      expectedVersion: 2,
      description: 'Changed again',
      ...required[plural],
    }
    await done(client.post(`/${plural}/upsert`, upsert))
    await done(client.put(`/${plural}/${record.id}/tags`, { expectedVersion: 3, tags: [{ id: tag }] }))
    await done(client.get(`/${plural}/${record.id}/tags`))
    const references = { items: [{ id: record.id }, { externalId: record.externalId }] }
    if (plural === 'companies') continue
    const elements = { items: [{ contacts: aContact(), deals: aDeal(parties), tasks: aTask(about) }[plural]] }
    await done(client.post(`/${plural}/batch/get`, references))
    await done(client.post(`/${plural}/batch/upsert`, elements))
  }

  await callOperationsOfParts({ client, deal: other, contact: boris })
  const [person, firm] = [
    await created(client.post('/contacts', aContact())),
    await created(client.post('/companies', aCompany())),
  ]
  await callOperationsOfActivities(client, `/contacts/${person.data.id}`, { outcome: 'They like them' })
  await callOperationsOfActivities(client, `/companies/${firm.data.id}`, { contact: { id: boris.id } })
  const owners = [
    `/contacts/${person.data.id}`,
    `/companies/${firm.data.id}`,
    `/deals/${other.id}`,
    `/tasks/${task.id}`,
  ]
  for (const owner of owners) await callOperationsOfFiles(client, owner)
  await callOperationsOfBulkJobs(client, stages.first)
  await callOperationsOfImports(client)
  await callOperationsOfIntegrations(client)
  await done(client.patch(`/deals/${deal.id}/move`, { expectedVersion: 4, stageUuid: stages.second, position: 1 }))
  const cursor = await done(client.get('/changes/cursor'))
  await done(client.get(`/changes?after=${cursor.data.cursor}&limit=10`))
  await done(client.get(`/changes?after=${beginning.data.cursor}&limit=100&include=record`))
  await done(client.get('/audit?limit=10&action=contact.created'))
  await done(client.get(`/audit?limit=10&resourceId=${anna.id}`))
  await done(client.get('/capabilities'))
  await done(client.get('/analytics/summary'))
  await callOperationsOfExports(client)
  await callMerges(client)
  await callRemovals(client)
  await done(client.delete(`/contacts/${boris.id}?expectedVersion=1&mode=full`))
  await done(client.delete(`/contacts/${anna.id}?expectedVersion=4`))
  const { data: left } = await done(client.get(`/deals/${other.id}`))
  await done(client.delete(`/deals/${other.id}?expectedVersion=${left.version}`))
  expect((await client.get(`/deals?externalId=${other.externalId}`)).status).toBe(410)
  const { data: kept } = await done(client.get(`/tasks/${task.id}`))
  await done(client.delete(`/tasks/${task.id}?expectedVersion=${kept.version}`))
}

/** The contacts of a company: as they come, are read on two pages, are fewer, and go. */
async function callOperationsOfLinks(client: Client, contacts: readonly JsonObject[]): Promise<void> {
  const { data: company } = await created(client.post('/companies', aCompany()))
  const path = `/companies/${company.id}/contacts`
  await done(client.put(path, { expectedVersion: 1, contacts }))
  const { meta } = await done(client.get(`${path}?limit=1`))
  await done(client.get(`${path}?cursor=${meta.nextCursor}`))
  await done(client.put(path, { expectedVersion: 2, contacts: contacts.toReversed() }))
  await done(client.put(path, { expectedVersion: 3, contacts: contacts.slice(1) }))
  await done(client.put(path, { expectedVersion: 4, contacts: [] }))
}

/** Every operation below a task of its own. */
async function callOperationsOfChecklists(client: Client): Promise<void> {
  const { data: task } = await created(client.post('/tasks', aTask()))
  const lists = `/tasks/${task.id}/checklists`
  const { data: kept } = await created(client.post(lists, { title: 'Before' }))
  const { data: gone } = await created(client.post(lists, { title: 'After' }))
  const items = `${lists}/${kept.id}/items`
  const { data: one } = await created(client.post(items, { text: 'One' }))
  const { data: two } = await created(client.post(items, { text: 'Two' }))
  await created(client.post(`${lists}/${gone.id}/items`, { text: 'Three' }))
  await done(client.post(`${items}/reorder`, { itemIds: [two.id, one.id] }))
  await done(client.patch(`${items}/${one.id}`, { expectedVersion: 1, isDone: true }))
  await done(client.delete(`${items}/${two.id}?expectedVersion=1`))
  await done(client.patch(`${lists}/${kept.id}`, { expectedVersion: 5, title: 'First' }))
  const { meta } = await done(client.get(`${lists}?limit=1`))
  expect((await done(client.get(`${lists}?cursor=${meta.nextCursor}`))).items).toHaveLength(1)
  await done(client.delete(`${lists}/${gone.id}?expectedVersion=2`))
  const { data: left } = await done(client.get(`/tasks/${task.id}`))
  await done(client.delete(`/tasks/${task.id}?expectedVersion=${left.version}`))
}

/** API integrations that an agent uses: one that goes, and one that stays. */
async function callOperationsOfIntegrations(client: Client): Promise<void> {
  const { data: gone } = await created(client.post(integrationsPath, anIntegrationBody()))
  const { data: kept } = await created(client.post(integrationsPath, anIntegrationBody()))
  await done(client.patch(`${integrationsPath}/${kept.id}`, { name: `${kept.name}_renamed` }))
  await done(client.get(`${integrationsPath}/${kept.id}`))
  await done(client.get(integrationsPath))
  await created(client.post(agentsPath, anAgent({ apiIntegrationIds: [gone.id, kept.id] })))
  await done(client.delete(`${integrationsPath}/${gone.id}`))
}

/** An import that is looked at and called off, and one that nobody works on. */
async function callOperationsOfImports(client: Client): Promise<void> {
  const [one, two] = [
    await created(upload(client, csv(['Name'], ['Anna']))),
    await created(upload(client, csv(['Name'], ['Boris']))),
  ]
  const path = `/imports/${one.data.id}`
  await done(client.post(`${path}/preview`, {}))
  await done(client.post(`${path}/cancel`))
  const started = { mapping: { firstName: 'Name' }, dedupPolicy: 'create_or_update' }
  expect((await client.post(`/imports/${two.data.id}/start`, started)).status).toBe(202)
  await done(client.get(path))
  const { meta } = await done(client.get('/imports?limit=1'))
  await done(client.get(`/imports?limit=1&cursor=${meta.nextCursor}`))
}

/** Every operation on activities of a contact or a company. */
async function callOperationsOfActivities(client: Client, owner: string, change: JsonObject): Promise<void> {
  const path = `${owner}/activities`
  const note = { type: 'note', subject: 'Chairs' }
  const { data: kept } = await created(client.post(path, note))
  const { data: gone } = await created(client.post(path, note))
  await done(client.patch(`${path}/${kept.id}`, { expectedVersion: 1, ...change }))
  await done(client.delete(`${path}/${gone.id}?expectedVersion=1`))
  await created(client.post(path, note))
  const { meta } = await done(client.get(`${path}?limit=1`))
  expect((await done(client.get(`${path}?limit=1&cursor=${meta.nextCursor}`))).items).toHaveLength(1)
}

/** Every operation on files of a record. */
async function callOperationsOfFiles(client: Client, owner: string): Promise<void> {
  const { data } = await done(client.get(owner))
  const { items, meta } = await created(attach(client, owner, data.version, [aFile(), aFile('Lamps', 'lamps.txt')]))
  const first = await done(client.get(`${owner}/files?limit=1`))
  expect((await done(client.get(`${owner}/files?cursor=${first.meta.nextCursor}`))).items).toHaveLength(1)
  await done(client.delete(`${owner}/files/${items[0]?.id}?expectedVersion=${meta.version}`))
}

/** Jobs for each kind of records, which nobody works on: known and unknown to their key, in lists of each form. */
async function callOperationsOfBulkJobs(client: Client, stageUuid: string): Promise<void> {
  const { data: contact } = await created(client.post('/contacts', aContact()))
  const { data: company } = await created(client.post('/companies', aCompany()))
  const { data: deal } = await created(client.post('/deals', aDeal({ contacts: [{ id: contact.id }] })))
  const { data: task } = await created(client.post('/tasks', aTask()))
  const bodies = [
    { entityType: 'contact', action: 'update', targets: [{ id: contact.id }], changes: { ownerUuid: null } },
    { entityType: 'company', action: 'update', targets: [{ id: company.id }], changes: { ownerUuid: null } },
    { entityType: 'deal', action: 'move', targets: [{ externalId: deal.externalId }], changes: { stageUuid } },
    { entityType: 'task', action: 'update', targets: [{ id: task.id }], changes: { status: 'done' } },
    { entityType: 'task', action: 'update', targets: [{ id: task.id }], changes: { priority: 'high' } },
  ]
  for (const body of bodies) expect((await client.post('/bulk-jobs', body)).status).toBe(202)
  for (const path of ['/bulk-jobs?limit=1', '/bulk-jobs?limit=1&entityType=task']) {
    const { items, meta } = await done(client.get(path))
    await done(client.get(`${path}&cursor=${meta.nextCursor}`))
    await done(client.get(`/bulk-jobs/${items[0]?.id}`))
  }
}

/** Every operation below a deal, and a change of its currency that its items follow. */
async function callOperationsOfParts({ client, deal, contact }: Parties): Promise<void> {
  const path = `/deals/${deal.id}`
  const added = {
    items: { name: 'Chair', quantity: '3', price: '0.335' },
    activities: { type: 'note', subject: 'Chairs' },
  }
  const changed = { items: { quantity: '4' }, activities: { contact: { id: contact.id } } }
  for (const part of ['items', 'activities'] as const) {
    const { data: kept } = await created(client.post(`${path}/${part}`, added[part]))
    const { data: gone } = await created(client.post(`${path}/${part}`, added[part]))
    await done(client.patch(`${path}/${part}/${kept.id}`, { expectedVersion: 1, ...changed[part] }))
    await done(client.delete(`${path}/${part}/${gone.id}?expectedVersion=1`))
    await created(client.post(`${path}/${part}`, added[part]))
  }
  for (const list of ['items', 'activities', 'events']) {
    const { meta } = await done(client.get(`${path}/${list}?limit=1`))
    expect((await done(client.get(`${path}/${list}?limit=1&cursor=${meta.nextCursor}`))).items).toHaveLength(1)
  }
  const { data } = await done(client.get(path))
  const inYen = { expectedVersion: data.version, amount: null, currency: 'JPY' }
  await done(client.patch(path, inYen))
}

interface Parties {
  readonly client: Client
  readonly deal: JsonObject
  readonly contact: JsonObject
}

async function callOperationsOfExports(client: Client): Promise<void> {
  const asked = await client.post('/exports', {
    type: 'deal_contacts',
    filters: { createdFrom: '2026-01-01T00:00:00Z' },
  })
  expect(asked.status).toBe(202)
  expect((await client.post('/exports', { type: 'contacts', csvSafe: true })).status).toBe(202)
  const { meta } = await done(client.get('/exports?limit=1'))
  await done(client.get(`/exports?cursor=${meta.nextCursor}`))
  await done(client.get(`/exports/${asked.data.id}`))
}

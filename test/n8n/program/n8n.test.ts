import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { packNodes } from '../../../scripts/release/program.ts'
import { Database, statement } from '../../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { aContact, aDeal } from '../../support/builders.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'
import { until } from '../../support/waiting.ts'
import { aWebhook } from '../../support/webhooks.ts'
import { startDelivery } from '../../webhooks/support.ts'
import { N8n } from './n8n.ts'
import { credentials, followed, greeting, received } from './workflows.ts'

let folder: string
let api: TestApi
let organization: TestOrganization
let n8n: N8n
let workflows: Database

const waiting = statement('test_n8n_waiting', 'select id from workflow_entity where "triggerCount" > 0')

beforeAll(async () => {
  const postgres = inject('postgres')
  const maintenance = new Database({ location: postgres, connections: 1 })
  await maintenance.script('create database n8n')
  await maintenance.close()
  workflows = new Database({ location: { ...postgres, database: 'n8n' }, connections: 1 })
  folder = await mkdtemp(join(tmpdir(), 'crm-n8n-'))
  await mkdir(join(folder, 'packed'))
  const nodes = await packNodes(join(folder, 'packed'), folder)
  n8n = await N8n.install(folder, nodes, { ...postgres, database: 'n8n' })
  api = await startApi()
  organization = await anOrganization(api)
  const hook = { url: `${n8n.url}/webhook/won/webhook`, kinds: ['deal.won'], body: 'full' } as const
  const { secret } = await aWebhook(api.test, organization, hook)
  await n8n.import('credentials', credentials(api.url, organization.client.token, secret))
  await n8n.import('workflow', [greeting, followed, received])
})

afterAll(async () => {
  await n8n?.stop()
  await workflows?.close()
  await api?.close()
  await rm(folder, { recursive: true, force: true })
})

async function win(title: string): Promise<void> {
  const { client, stages } = organization
  const contact = await client.post('/contacts', aContact())
  const deal = await client.post('/deals', aDeal({ title, contacts: [{ id: contact.data.id }] }))
  const won = { expectedVersion: 1, stageUuid: stages.won }
  expect((await client.patch(`/deals/${String(deal.data.id)}/move`, won)).status).toBe(200)
}

/** Waits for a task: n8n polls once a minute. */
const aTask = (title: string) => until(title, async () => (await titles()).includes(title), 180_000)

async function titles(): Promise<unknown[]> {
  return (await organization.client.get('/tasks')).items.map(each => each.title)
}

test('a workflow creates a contact', async () => {
  await n8n.command('execute', '--id=greeting')
  const { items } = await organization.client.get('/contacts')
  expect(items).toMatchObject([{ firstName: 'Anna', lastName: 'Petrova', version: 1 }])
})

test('a deal that is won begins a workflow that takes deliveries, and one that follows the feed, also while n8n is down', async () => {
  for (const id of ['followed', 'received']) await n8n.command('publish:workflow', `--id=${id}`)
  await n8n.start()
  await until('two workflows that wait', async () => (await workflows.search(waiting, [])).length === 2)
  // No event has come: what the first poll has remembered outlives n8n.
  await n8n.stop()
  await win('Chairs')
  await n8n.start()
  await aTask('Polled: Chairs')
  startDelivery(api)
  await aTask('Delivered: deal.won')
  await win('Tables')
  await aTask('Polled: Tables')
  expect((await titles()).filter(title => String(title).startsWith('Polled')).sort()).toEqual([
    'Polled: Chairs',
    'Polled: Tables',
  ])
})

import { randomUUID } from 'node:crypto'
import { isObject } from '../server/src/kernel/schema/index.ts'
import type { GrowthClient } from './growth-client.ts'

interface GrowthOperation {
  /** How often it is run per round: the cheaper it is, the more often. */
  readonly repeat: number
  run(client: GrowthClient): Promise<unknown>
}

/** The most frequent operations of integrations, and those that would cost more in a large organization without special measures. */
export const operations: Readonly<Record<string, GrowthOperation>> = {
  'get a contact': often(client => client.send('GET', `/contacts/${client.contact().id}`)),
  'list contacts': often(client => client.send('GET', '/contacts?limit=50')),
  'list deals': often(client => client.send('GET', '/deals?limit=50')),
  'create a contact': often(client => client.send('POST', '/contacts', newContact())),
  'change a contact': often(client => {
    const { id, version } = client.contact()
    return client.send('PATCH', `/contacts/${id}`, { expectedVersion: version, jobTitle: 'Buyer' })
  }),
  'upsert a contact by a new key': often(client => client.send('POST', '/contacts/upsert', newContact())),
  'upsert 100 contacts in a batch': seldom(client =>
    client.send('POST', '/contacts/batch/upsert', { items: Array.from({ length: 100 }, newContact) }),
  ),
  'create a deal': often(client => client.send('POST', '/deals', newDeal(client))),
  'move a deal to the top of a stage': often(client => move(client, 0)),
  'move a deal far down in a stage': seldom(client => move(client, 100_000)),
  'merge two contacts, with preview': seldom(merge),
  'anonymize a contact': seldom(client => {
    const { id, version } = client.contact()
    return client.send('DELETE', `/contacts/${id}?expectedVersion=${version}`)
  }),
  'events from the start': seldom(client => client.send('GET', `/changes?after=${client.start}&limit=100`)),
  'events of tasks from the start': seldom(client =>
    client.send('GET', `/changes?after=${client.start}&resourceTypes=task`),
  ),
  'the audit log': often(client => client.send('GET', '/audit?limit=50')),
  'list with a filter: a whole e-mail address': seldom(client =>
    client.send('GET', `/contacts?email=${encodeURIComponent(String(client.contact().email))}`),
  ),
  'list with a filter: an operator, by amount': seldom(client =>
    client.send('GET', `/deals?sort=-amount&ownerUuid=${client.configuration.operators[0]}`),
  ),
  'list with a filter: a priority of no deal': seldom(client => client.send('GET', '/deals?priority=urgent')),
  'list with a filter: the same, by title': seldom(client => client.send('GET', '/deals?sort=title&priority=urgent')),
  'list by name': seldom(client => client.send('GET', '/contacts?sort=name')),
  'list by the last change': seldom(client => client.send('GET', '/contacts?sort=-updatedAt')),
  'list with search: a name': seldom(client => list(client, client.contact().name)),
  'list with search: a whole e-mail address': seldom(client => list(client, client.contact().email)),
  'list with search: a whole phone number': seldom(client => list(client, client.contact().phone)),
  'list with search: a part of a phone number': seldom(client => list(client, String(client.contact().phone).slice(5))),
  'list with search: two letters of nobody': seldom(client => list(client, 'qx')),
  'search: a name': seldom(client => search(client, client.contact().name)),
  'search: a whole e-mail address': seldom(client => search(client, client.contact().email)),
  'search: a frequent part of a word': seldom(client => search(client, 'etr')),
  'search: two letters of nobody': seldom(client => search(client, 'qx')),
  'search: a typing mistake': seldom(client => search(client, 'pertova')),
  capabilities: often(client => client.send('GET', '/capabilities')),
  'summary of 30 days': seldom(client => client.send('GET', '/analytics/summary')),
}

function often(run: GrowthOperation['run']): GrowthOperation {
  return { repeat: 200, run }
}

function seldom(run: GrowthOperation['run']): GrowthOperation {
  return { repeat: 50, run }
}

let made = 0

function newContact() {
  made += 1
  return {
    externalId: `growth-${randomUUID()}`,
    firstName: 'Anna',
    lastName: `Petrova-${made}`,
    contactData: { emails: [{ value: `growth.${made}@example.com` }] },
  }
}

function newDeal(client: GrowthClient) {
  return { title: 'Chairs', amount: '120.00', currency: 'USD', contacts: [{ id: client.contact().id }] }
}

function move(client: GrowthClient, position: number) {
  const { id, version, stage_uuid: stageUuid } = client.deal()
  return client.send('PATCH', `/deals/${id}/move`, { expectedVersion: version, stageUuid, position })
}

async function merge(client: GrowthClient) {
  const [primary, secondary] = [client.contact(), client.contact()]
  const ids = { primaryId: primary.id, secondaryId: secondary.id }
  const { data } = await client.send('POST', '/contacts/merge/preview', ids)
  const required = isObject(data) && Array.isArray(data.requiredResolutions) ? data.requiredResolutions : []
  return client.send('POST', '/contacts/merge/commit', {
    ...ids,
    expectedPrimaryVersion: primary.version,
    expectedSecondaryVersion: secondary.version,
    fieldResolutions: Object.fromEntries(required.map(field => [field, 'primary'])),
    externalIdConflictResolution: 'keep_primary',
  })
}

const list = (client: GrowthClient, text: unknown) =>
  client.send('GET', `/contacts?limit=50&search=${encodeURIComponent(String(text))}`)

const search = (client: GrowthClient, text: unknown) =>
  client.send('GET', `/search?limit=20&q=${encodeURIComponent(String(text))}`)

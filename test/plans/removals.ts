import { expect } from 'vitest'
import { attach } from '../conformance/support/files.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import { type Client, objectOf } from '../support/client.ts'
import { created, done } from './expected.ts'

type Plural = 'contacts' | 'companies'

const builders = { contacts: aContact, companies: aCompany }
const singular = { contacts: 'contact', companies: 'company' } as const

async function aRecord(client: Client, plural: Plural): Promise<string> {
  const { data } = await created(client.post(`/${plural}`, builders[plural]({ externalId: null })))
  return String(data.id)
}

/** Lets everything refer to records that can: to all of them side by side, and to the last one alone. */
async function refer(client: Client, plural: Plural, ...ids: readonly string[]): Promise<void> {
  const other: Plural = plural === 'contacts' ? 'companies' : 'contacts'
  const stays = { id: await aRecord(client, other) }
  const last = { id: ids.at(-1) }
  for (const set of [ids.map(id => ({ id })), [last]]) {
    const { data: deal } = await created(client.post('/deals', aDeal({ [plural]: set, [other]: [stays] })))
    await created(client.post('/tasks', aTask({ [singular[plural]]: last })))
    if (plural === 'companies') continue
    await created(client.post(`/deals/${deal.id}/activities`, { type: 'note', subject: 'Chairs', contact: last }))
    const company = await aRecord(client, 'companies')
    await created(client.post(`/companies/${company}/activities`, { type: 'note', subject: 'Chairs', contact: last }))
    await done(client.put(`/companies/${company}/contacts`, { expectedVersion: 2, contacts: set }))
  }
  for (const id of ids) {
    await created(client.post(`/${plural}/${id}/activities`, { type: 'note', subject: 'Chairs' }))
    await created(attach(client, `/${plural}/${id}`, 2))
  }
  if (plural === 'contacts') return
  const mine = { id: await aRecord(client, 'contacts') }
  for (const id of ids)
    await done(client.put(`/companies/${id}/contacts`, { expectedVersion: 3, contacts: [stays, mine] }))
}

/** Merges of records to which everything refers. */
export async function callMerges(client: Client): Promise<void> {
  for (const plural of ['contacts', 'companies'] as const) {
    const [primaryId, secondaryId] = [await aRecord(client, plural), await aRecord(client, plural)]
    await refer(client, plural, primaryId, secondaryId)
    const pair = { primaryId, secondaryId }
    const { data: told } = await done(client.post(`/${plural}/merge/preview`, pair))
    expect(objectOf(objectOf(told.links).deals)).toEqual({ primary: 1, secondary: 2, merged: 2 })
    const [expectedPrimaryVersion, expectedSecondaryVersion] = [told.primary, told.secondary].map(
      side => objectOf(side).version,
    )
    const body = { ...pair, expectedPrimaryVersion, expectedSecondaryVersion, fieldResolutions: {} }
    await done(client.post(`/${plural}/merge/commit`, body))
    expect((await client.get(`/${plural}/${secondaryId}`)).details.mergedIntoId).toBe(primaryId)
  }
}

/** Deletes of records to which everything refers. */
export async function callRemovals(client: Client): Promise<void> {
  for (const [plural, body] of [
    ['contacts', { mode: 'full' }],
    ['contacts', { mode: 'anonymize' }],
    ['companies', {}],
  ] as const) {
    const id = await aRecord(client, plural)
    await refer(client, plural, id)
    const { data: told } = await done(client.get(`/${plural}/${id}/delete/preview`))
    expect(objectOf(told.links)).toMatchObject({ deals: { count: 2 }, tasks: { count: 2 } })
    await done(client.post(`/${plural}/${id}/delete/commit`, body))
  }
}

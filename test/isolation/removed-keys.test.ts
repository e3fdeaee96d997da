import { expect, it } from 'vitest'
import { useApi } from '../conformance/support/given.ts'
import { aRecord, outcome } from '../conformance/support/requests.ts'

const given = useApi()

it('an organization does not know the keys of removed records of another one', async () => {
  const mine = await given.organization()
  const theirs = await given.organization()
  const removed = await aRecord('contact', theirs)
  await theirs.client.delete(`/contacts/${removed.id}?expectedVersion=1&mode=full`)
  const anonymized = await aRecord('contact', theirs)
  await theirs.client.delete(`/contacts/${anonymized.id}?expectedVersion=1`)
  expect(outcome(await mine.client.get(`/contacts/${anonymized.id}`))).toBe('404 not_found')
  for (const { externalId } of [removed, anonymized]) {
    expect((await mine.client.get(`/contacts?externalId=${externalId}`)).items).toEqual([])
    expect((await mine.client.post('/contacts', { lastName: 'Own', externalId })).status).toBe(201)
  }
})

import { expect, it } from 'vitest'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, previewMerge } from './support/merges.ts'
import { aRecord, outcome } from './support/requests.ts'

const given = useApi()
const limit = 10_000

it('a contact with more links than one request may change is neither deleted nor merged away, but anonymized', async () => {
  const organization = await given.organization()
  const { client } = organization
  const pair = await aPair('contact', organization)
  const [primary, secondary] = pair
  const company = await aRecord('company', organization)
  await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: [{ id: secondary.id }] })
  const task = await aRecord('task', organization, { contact: { id: secondary.id } })
  const copies = `insert into tasks
    select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
      from tasks t, generate_series(1, $3) where t.organization_id = $1 and t.id = $2`
  await given.sql(copies, [organization.id, task.id, limit - 1])
  const tooMany = { code: 'too_many_links', count: limit + 1, limit }

  const { data: told } = await client.get(`/contacts/${secondary.id}/delete/preview`)
  expect(told.blockers).toEqual({ anonymize: [], full: [tooMany] })
  expect(told.links).toMatchObject({ companies: { count: 1, sampleIds: [company.id] }, tasks: { count: limit } })
  const refused = await client.post(`/contacts/${secondary.id}/delete/commit`, { mode: 'full' })
  expect([outcome(refused), refused.details.blockers]).toEqual(['422 validation_error', [tooMany]])

  const merge = await previewMerge(client, 'contact', pair)
  expect(merge.data).toMatchObject({
    blockers: [tooMany],
    links: { companies: { secondary: 1, merged: 1 }, tasks: { primary: 0, secondary: limit, merged: limit } },
  })
  expect(outcome(await commitMerge(client, 'contact', pair))).toBe('422 validation_error')
  expect((await commitMerge(client, 'contact', [secondary, primary])).status).toBe(200)

  const anonymized = await client.post(`/contacts/${secondary.id}/delete/commit`, { mode: 'anonymize' })
  expect(anonymized.status).toBe(200)
  const { items } = await client.get(`/companies/${company.id}/contacts`)
  expect(items).toMatchObject([{ contactId: secondary.id, anonymized: true }])
})

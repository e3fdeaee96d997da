import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import type { Browser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
let organization: TestOrganization
let owner: Browser
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
  organization = await anOrganization(api)
  owner = await aBrowser('owner')
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

async function aBrowser(role: Parameters<typeof aMembership>[3], within = organization): Promise<Browser> {
  const user = await aUser(api)
  await aMembership(api, user, within.id, role)
  return aSignedInBrowser(api, user)
}

const at = (path: string, { id } = organization) => `/o/${id}/settings${path}`

test('an owner creates, lists, changes and removes a tag', async () => {
  const made = await owner.post(at('/tags'), { name: 'Loyal', color: '#00ff00' })
  expect([made.status, made.data.name]).toEqual([201, 'Loyal'])
  const path = at(`/tags/${String(made.data.id)}`)
  expect((await owner.patch(path, { name: 'Faithful' })).data).toMatchObject({ id: made.data.id, name: 'Faithful' })
  expect((await owner.get(at('/tags'))).items.map(({ name }) => name)).toContain('Faithful')
  expect(await owner.post(at('/tags'), { name: 'Faithful' })).toMatchObject({ status: 422 })
  expect((await owner.delete(path)).status).toBe(200)
  expect((await owner.get(path)).status).toBe(404)
})

test('a pipeline is created with its stages', async () => {
  const stages = [
    { name: 'New', type: 'open' },
    { name: 'Won', type: 'won' },
    { name: 'Lost', type: 'lost' },
  ]
  const made = await owner.post(at('/pipelines'), { name: 'Partners', stages })
  expect(made.status).toBe(201)
  expect(made.data.stages).toMatchObject(stages)
  const wrong = await owner.post(at('/pipelines'), { name: 'Other', stages: [{ name: 'New', type: 'ajar' }] })
  expect([wrong.status, wrong.error.code]).toEqual([400, 'validation_error'])
})

test('what is the operator’s is shown, and refused', async () => {
  const shown = await owner.get(at('/organization'))
  expect(JSON.parse(shown.text).meta.fields).toContainEqual(
    expect.objectContaining({ name: 'fileQuotaBytes', changedBy: 'operator' }),
  )
  const refused = await owner.patch(at('/organization'), { readOnly: true })
  expect([refused.status, refused.details.issues]).toMatchObject([422, [{ path: '/readOnly', rule: 'operator' }]])
  const changed = await owner.patch(at('/organization'), { name: 'Renamed' })
  expect([changed.status, changed.data.name]).toEqual([200, 'Renamed'])
  const fast = await owner.post(at('/applications'), { name: 'Fast', rateRead: 1_000_000 })
  expect([fast.status, fast.details.issues]).toMatchObject([422, [{ path: '/rateRead', rule: 'operator' }]])
})

test('a setting of another organization looks as if there were none', async () => {
  const other = await anOrganization(api)
  for (const answer of [
    await owner.get(at(`/tags/${other.tag}`)),
    await owner.patch(at(`/tags/${other.tag}`), { name: 'Mine' }),
    await owner.delete(at(`/tags/${other.tag}`)),
    await owner.get(at('/tags', other)),
  ])
    expect([answer.status, answer.error.code]).toEqual([404, 'not_found'])
})

test('the application that stands for the cabinet is none of the settings', async () => {
  const [row] = await api.test.database.query(
    statement('test_cabinet_to_remove', `select id from applications where organization_id = $1 and kind = 'cabinet'`),
    [organization.id],
  )
  const path = at(`/applications/${String(row?.id)}`)
  for (const answer of [await owner.get(path), await owner.patch(path, { name: 'Mine' }), await owner.delete(path)])
    expect([answer.status, answer.error.code]).toEqual([404, 'not_found'])
  expect((await owner.get(at('/tags'))).status).toBe(200)
})

test('a token is shown once, works, and is rotated and revoked', async () => {
  const asked = { applicationId: organization.applicationId, name: 'Shop', scopes: ['crm_contacts_read'] }
  const made = await owner.post(at('/tokens'), asked)
  expect(made.status).toBe(201)
  const text = String(made.data.token)
  expect((await new Client(api.url, text).get('/contacts')).status).toBe(200)
  const list = await owner.get(at('/tokens'))
  expect(list.items.map(({ id }) => id)).toContain(made.data.id)
  expect(list.text).not.toContain(text)
  const next = await owner.post(at(`/tokens/${String(made.data.id)}/rotate`))
  expect(next.data).toMatchObject({ scopes: ['crm_contacts_read'], replaces: { id: made.data.id } })
  expect((await owner.call('POST', at(`/tokens/${String(next.data.id)}/revoke`))).status).toBe(200)
})

test('a token gets no right of people, and needs a fresh sign-in and the right to make it', async () => {
  const asked = { applicationId: organization.applicationId, name: 'Mighty', scopes: ['tokens_manage'] }
  expect(await owner.post(at('/tokens'), asked)).toMatchObject({ status: 422 })
  const scopes = ['crm_made_up']
  expect(await owner.post(at('/tokens'), { ...asked, scopes })).toMatchObject({
    status: 403,
    details: { missingScopes: scopes },
  })
  const manager = await aBrowser('manager')
  expect(await manager.post(at('/tokens'), { ...asked, scopes: ['crm_search'] })).toMatchObject({
    status: 403,
    details: { missingScopes: ['tokens_manage'] },
  })
  clock.advance(600_000)
  const stale = await owner.post(at('/tokens'), { ...asked, scopes: ['crm_search'] })
  expect([stale.status, stale.error.code]).toEqual([403, 'fresh_sign_in_required'])
})

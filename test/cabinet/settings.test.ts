import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { settingBounds } from '../../server/src/settings/setting-bounds.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import type { Browser } from '../support/browser.ts'
import { Client, objectOf } from '../support/client.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { setBound } from '../support/set-bound.ts'

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
  const changed = await owner.patch(path, { expectedVersion: 1, name: 'Faithful' })
  expect(changed.data).toMatchObject({ id: made.data.id, version: 2, name: 'Faithful' })
  expect((await owner.get(at('/tags'))).items.map(({ name }) => name)).toContain('Faithful')
  expect(await owner.post(at('/tags'), { name: 'Faithful' })).toMatchObject({ status: 422 })
  expect((await owner.delete(path)).status).toBe(200)
  expect((await owner.get(path)).status).toBe(404)
})

test('if two change a setting at once, one change is made, and the other user is told the present version', async () => {
  const stages = [
    { name: 'New', type: 'open' },
    { name: 'Won', type: 'won' },
    { name: 'Lost', type: 'lost' },
  ]
  const pipeline = (await owner.post(at('/pipelines'), { name: 'Resellers', stages })).data
  const asked = { applicationId: organization.applicationId, name: 'Twice', scopes: ['crm_search'] }
  const [tag, application, token, other] = await Promise.all([
    owner.post(at('/tags'), { name: 'Twice' }),
    owner.post(at('/applications'), { name: 'Twice' }),
    owner.post(at('/tokens'), asked),
    aBrowser('owner'),
  ])
  const stage = objectOf([pipeline.stages].flat()[0])
  for (const path of [
    `/tags/${String(tag.data.id)}`,
    `/applications/${String(application.data.id)}`,
    `/tokens/${String(token.data.id)}`,
    `/pipelines/${String(pipeline.id)}`,
    `/stages/${String(stage.id)}`,
    '/organization',
  ]) {
    const { version: expectedVersion } = (await owner.get(at(path))).data
    const answers = await Promise.all([
      owner.patch(at(path), { expectedVersion, name: 'Mine' }),
      other.patch(at(path), { expectedVersion, name: 'Yours' }),
    ])
    const [made, refused] = answers.toSorted((one, another) => one.status - another.status)
    expect([made?.status, made?.data.version]).toEqual([200, Number(expectedVersion) + 1])
    expect([refused?.status, refused?.error.code]).toEqual([409, 'version_conflict'])
    expect(refused?.details).toEqual({ currentVersion: made?.data.version })
    expect((await owner.get(at(path))).data.name).toBe(made?.data.name)
    const careless = await owner.patch(at(path), { name: 'Late' })
    expect([careless.status, careless.details.issues]).toMatchObject([400, [{ path: '/expectedVersion' }]])
  }
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

test('a stage is moved to a place among the others', async () => {
  const [stage] = (await owner.get(at('/stages'))).items
  const moved = await owner.patch(at(`/stages/${String(stage?.id)}`), { expectedVersion: stage?.version, position: 1 })
  expect([moved.status, moved.data.position]).toEqual([200, 1])
  const names = (await owner.get(at('/stages'))).items.filter(({ pipelineId }) => pipelineId === stage?.pipelineId)
  expect(names.findIndex(({ id }) => id === stage?.id)).toBe(1)
  expect(
    (await owner.patch(at(`/stages/${String(stage?.id)}`), { expectedVersion: 2, position: 'first' })).status,
  ).toBe(400)
})

test('what is the operator’s is shown, and refused', async () => {
  const shown = await owner.get(at('/organization'))
  expect(JSON.parse(shown.text).meta.fields).toContainEqual(
    expect.objectContaining({ name: 'fileQuotaBytes', changedBy: 'operator' }),
  )
  const expectedVersion = shown.data.version
  const refused = await owner.patch(at('/organization'), { expectedVersion, readOnly: true })
  expect([refused.status, refused.details.issues]).toMatchObject([422, [{ path: '/readOnly', rule: 'operator' }]])
  const changed = await owner.patch(at('/organization'), { expectedVersion, name: 'Renamed' })
  expect([changed.status, changed.data.name]).toEqual([200, 'Renamed'])
  const fast = await owner.post(at('/applications'), { name: 'Fast', rateRead: 1_000_000 })
  expect([fast.status, fast.details.issues]).toMatchObject([422, [{ path: '/rateRead', rule: 'operator' }]])
})

test('a setting of another organization looks as if there were none', async () => {
  const other = await anOrganization(api)
  for (const answer of [
    await owner.get(at(`/tags/${other.tag}`)),
    await owner.patch(at(`/tags/${other.tag}`), { expectedVersion: 1, name: 'Mine' }),
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
  for (const answer of [
    await owner.get(path),
    await owner.patch(path, { expectedVersion: 1, name: 'Mine' }),
    await owner.delete(path),
  ])
    expect([answer.status, answer.error.code]).toEqual([404, 'not_found'])
  expect((await owner.get(at('/tags'))).status).toBe(200)
})

test('an organization has as many settings of a kind as its bound, and what is there stays', async () => {
  const full = await anOrganization(api)
  const boss = await aBrowser('owner', full)
  const post = (path: string, body: object) => boss.post(at(path, full), body)
  const stages = ['open', 'won', 'lost'].map(type => ({ name: type, type }))
  const { id: pipelineId } = (await post('/pipelines', { name: 'Second', stages })).data
  const { applicationId } = full
  const many = Array.from({ length: 201 }, (_, index) => `10.0.${index}.0/24`)
  const wide = await post('/tokens', { applicationId, name: 'Wide', scopes: ['crm_search'], cidrs: many })
  expect([wide.status, wide.details.issues]).toMatchObject([400, [{ path: '/cidrs' }]])
  for (const [bound, path, body] of [
    ['organizationApplications', '/applications', {}],
    ['organizationOperators', '/operators', { email: 'one-more@example.com' }],
    ['organizationPipelines', '/pipelines', { stages }],
    ['pipelineStages', '/stages', { pipelineId, type: 'open' }],
    ['organizationLostReasons', '/lost-reasons', {}],
    ['organizationTags', '/tags', {}],
    ['kindCustomFields', '/custom-fields', { kind: 'task', key: 'one_more', type: 'text' }],
    ['applicationTokens', '/tokens', { applicationId, scopes: ['crm_search'] }],
  ] as const) {
    const { items } = await boss.get(at(path, full))
    const beside = items.filter(each => path !== '/stages' || each.pipelineId === pipelineId)
    const ofCabinet = path === '/applications' ? 1 : 0
    setBound(settingBounds[bound], path === '/custom-fields' ? 0 : beside.length + ofCabinet)
    const name = path === '/custom-fields' ? { label: 'One more' } : { name: 'One more' }
    const refused = await post(path, { ...name, ...body })
    expect([path, refused.status, refused.details.issues]).toMatchObject([path, 422, [{ rule: 'limit' }]])
    setBound(settingBounds[bound], settingBounds[bound].most + 1)
    expect([path, (await post(path, { ...name, ...body })).status]).toEqual([path, 201])
  }
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
  const path = at(`/tokens/${String(next.data.id)}`)
  expect((await owner.delete(path)).status).toBe(422)
  expect((await owner.call('POST', `${path}/revoke`)).status).toBe(200)
  expect((await owner.get(path)).data).toMatchObject({ name: 'Shop', revokedAt: expect.any(String) })
  expect((await owner.delete(path)).data).toEqual({ id: next.data.id, deleted: true })
  expect((await owner.get(path)).status).toBe(404)
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

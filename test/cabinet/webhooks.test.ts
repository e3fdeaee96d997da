import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import type { Browser } from '../support/browser.ts'
import { aCalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, eventIn, startDelivery, untilPosition, useWebhooks } from '../webhooks/support.ts'

const around = useWebhooks()
let owner: Browser
beforeEach(async () => {
  owner = await aBrowser('owner')
})
afterAll(() => expect(around.api.failures).toEqual([]))

async function aBrowser(role: Parameters<typeof aMembership>[3], id = around.organization.id): Promise<Browser> {
  const user = await aUser(around.api)
  await aMembership(around.api, user, id, role)
  return aSignedInBrowser(around.api, user)
}

const at = (path = '', id = around.organization.id) => `/o/${id}/settings/webhooks${path}`
const asked = (more: object = {}) => ({
  applicationId: around.organization.applicationId,
  name: 'ERP',
  url: 'https://hooks.example/crm',
  kinds: ['contact.*'],
  ...more,
})

async function made(more: object = {}) {
  const { data, status, text } = await owner.post(at(), asked(more))
  expect([status, text]).toEqual([201, text])
  return { id: String(data.id), secret: String(data.secret) }
}

describe('the settings of a webhook', () => {
  test('are created, listed, read, changed and removed, and the secret is shown once', async () => {
    const given = {
      kinds: ['deal.*'],
      filter: { status: ['open'] },
      headers: [{ name: 'X-Key', value: 'hidden' }],
      body: 'full',
    }
    const created = await owner.post(at(), asked(given))
    expect([created.status, created.data]).toMatchObject([
      201,
      {
        name: 'ERP',
        body: 'full',
        secret: expect.stringMatching(/^whsec_/u),
        headerNames: ['X-Key'],
        missingScopes: [],
      },
    ])
    const path = at(`/${String(created.data.id)}`)
    const list = await owner.get(at())
    expect(list.items).toMatchObject([{ id: created.data.id, deliveries: { state: 'active', behind: 0 } }])
    expect(JSON.parse(list.text).meta.fields).toContainEqual(expect.objectContaining({ name: 'kinds', type: 'words' }))
    const read = await owner.get(path)
    expect(read.data).toMatchObject({ url: 'https://hooks.example/crm', deliveries: { state: 'active' }, replays: [] })
    const changed = await owner.patch(path, { expectedVersion: 1, kinds: ['deal.won'], filter: {}, concurrency: 3 })
    expect([changed.status, changed.data]).toMatchObject([
      200,
      { version: 2, kinds: ['deal.won'], concurrency: 3, headerNames: ['X-Key'] },
    ])
    for (const { text } of [list, read, changed]) {
      expect(text).not.toContain(String(created.data.secret))
      expect(text).not.toContain('hidden')
    }
    expect((await owner.delete(path)).data).toEqual({ id: created.data.id, deleted: true })
    expect((await owner.get(path)).status).toBe(404)
  })

  test('that are not possible are refused with the reason', async () => {
    const { id } = await made()
    expect(await owner.post(at(), asked({ name: 'Own', kinds: ['contact.exploded'] }))).toMatchObject({
      status: 422,
      details: { issues: [{ path: '/kinds', message: expect.stringContaining('no such kind of events') }] },
    })
    const inside = await owner.post(at(), asked({ name: 'Own', url: 'https://10.0.0.1/' }))
    expect([inside.status, inside.error.code]).toEqual([422, 'validation_error'])
    expect((await owner.post(at(), asked())).status).toBe(422)
    // What says where and as whom it calls needs a fresh sign-in, and has a route of its own.
    expect((await owner.patch(at(`/${id}`), { expectedVersion: 1, url: 'https://elsewhere.example/' })).status).toBe(
      400,
    )
    expect((await owner.patch(at(`/${id}`), { expectedVersion: 1, headers: [] })).status).toBe(400)
    const scopes = ['crm_made_up']
    expect(await owner.patch(at(`/${id}`), { expectedVersion: 1, scopes })).toMatchObject({
      status: 403,
      details: { missingScopes: scopes },
    })
    expect((await owner.patch(at(`/${id}`), { expectedVersion: 1, concurrency: 51 })).status).toBe(400)
    expect((await owner.patch(at(`/${id}`), { expectedVersion: 1, tokenId: 'none' })).status).toBe(422)
  })

  test('are moved to another receiver with another secret, and without the headers of the former one', async () => {
    const { id, secret } = await made({ headers: [{ name: 'X-Key', value: 'hidden' }] })
    const near = await owner.call('PUT', at(`/${id}/url`), { expectedVersion: 1, url: 'https://hooks.example/other' })
    expect([near.status, near.data.secret, near.data.headerNames]).toEqual([200, undefined, ['X-Key']])
    const elsewhere = { url: 'https://elsewhere.example/' }
    const stale = await owner.call('PUT', at(`/${id}/url`), { expectedVersion: 1, ...elsewhere })
    expect([stale.status, stale.error.code, stale.details]).toEqual([409, 'version_conflict', { currentVersion: 2 }])
    const far = await owner.call('PUT', at(`/${id}/url`), { expectedVersion: 2, ...elsewhere })
    expect(far.data).toMatchObject({ url: 'https://elsewhere.example/', removedHeaders: ['X-Key'], headerNames: [] })
    expect(far.data.secret).toMatch(/^whsec_/u)
    expect(far.data.secret).not.toBe(secret)
    expect(
      (await owner.call('PUT', at(`/${id}/url`), { expectedVersion: 3, url: 'ftp://elsewhere.example/' })).status,
    ).toBe(422)
  })

  test('have another secret after a rotation, which overlaps for a while', async () => {
    const { id, secret } = await made()
    const rotated = await owner.post(at(`/${id}/rotate`), { overlapSeconds: 60 })
    const until = new Date(around.clock.now() + 60_000).toISOString()
    expect([rotated.status, rotated.data]).toEqual([
      200,
      { id, secret: expect.stringMatching(/^whsec_/u), formerSecretUntil: until },
    ])
    expect(rotated.data.secret).not.toBe(secret)
    expect((await owner.post(at(`/${id}/rotate`), { overlapSeconds: 604_801 })).status).toBe(400)
  })

  test('stop and continue its deliveries', async () => {
    const { id } = await made()
    expect((await owner.call('POST', at(`/${id}/pause`))).data.deliveries).toMatchObject({
      state: 'paused',
      reason: 'command',
    })
    expect((await owner.call('POST', at(`/${id}/resume`))).data.deliveries).toMatchObject({ state: 'active' })
    await around.api.test.database.query(
      statement(
        'test_secretless_webhook',
        'update webhook_subscriptions set secret = null, secret_updated_at = null, enabled = false where organization_id = $1',
      ),
      [around.organization.id],
    )
    expect((await owner.call('POST', at(`/${id}/resume`))).status).toBe(422)
  })

  test('are audited with the member who changed them', async () => {
    const { id } = await made()
    const [entry] = await around.api.test.database.query(
      statement(
        'test_audit_of_webhook',
        `select a.actor_type, a.entry, o.name from audit_entries a
           join operators o on o.organization_id = a.organization_id and o.id = a.actor_uuid
          where a.organization_id = $1 and a.resource_id = $2`,
      ),
      [around.organization.id, id],
    )
    expect(entry).toEqual({ actor_type: 'user', entry: 'cabinet', name: 'Una Berg' })
  })
})

describe('webhooks are administered by', () => {
  test('owners, and by managers where the organization says so', async () => {
    const { id } = await made()
    const manager = await aBrowser('manager')
    expect(await manager.get(at())).toMatchObject({ status: 403, details: { missingScopes: ['webhooks_manage'] } })
    const settings = `/o/${around.organization.id}/settings/organization`
    const { version: expectedVersion } = (await owner.get(settings)).data
    await owner.patch(settings, { expectedVersion, managersManageIntegrations: true })
    around.api.services.authentication.sessions.forget()
    expect((await manager.get(at())).items).toMatchObject([{ id }])
  })

  test('need a fresh sign-in for what shows a secret and for the address', async () => {
    const { id } = await made()
    around.clock.advance(600_000)
    for (const answer of [
      await owner.post(at(), asked({ name: 'Another' })),
      await owner.post(at(`/${id}/rotate`)),
      await owner.call('PUT', at(`/${id}/url`), { expectedVersion: 1, url: 'https://elsewhere.example/' }),
    ])
      expect([answer.status, answer.error.code]).toEqual([403, 'fresh_sign_in_required'])
    expect((await owner.patch(at(`/${id}`), { expectedVersion: 1, name: 'Renamed' })).status).toBe(200)
  })

  test('see none of another organization', async () => {
    const { id } = await made()
    const other = await anOrganization(around.api)
    const stranger = await aBrowser('owner', other.id)
    const path = at(`/${id}`, other.id)
    const answers = [
      await stranger.get(path),
      await stranger.patch(path, { expectedVersion: 1, name: 'Mine' }),
      await stranger.delete(path),
      await stranger.call('PUT', `${path}/url`, { expectedVersion: 1, url: 'https://elsewhere.example/' }),
      await stranger.get(`${path}/deliveries`),
      await stranger.post(`${path}/rotate`),
      ...(await Promise.all(['test', 'pause', 'resume'].map(word => stranger.call('POST', `${path}/${word}`)))),
      await stranger.post(`${path}/replays`, { from: 1 }),
      await stranger.delete(`${path}/replays/${id}`),
      await stranger.post(at('', other.id), asked()),
    ]
    expect(answers.map(({ status, error }) => [status, error.code])).toEqual(answers.map(() => [404, 'not_found']))
    expect((await stranger.get(at('', other.id))).items).toEqual([])
  })
})

describe('the deliveries of a webhook', () => {
  // The operator has allowed the network of these receivers, so organizations see no answer of it.
  test('are tested, and a receiver that does not answer is told', async () => {
    const receiver = await aCalledServer((_, response) => void response.writeHead(418).end('short and stout'))
    const { id } = await made({ url: `http://127.0.0.1:${receiver.port}/hook` })
    const tested = await owner.call('POST', at(`/${id}/test`))
    expect([tested.status, tested.data]).toMatchObject([200, { status: 418, answer: null, isCut: false }])
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['webhook.test'])
    const silent = await made({ name: 'Silent', url: 'http://127.0.0.1:1/hook' })
    const refused = await owner.call('POST', at(`/${silent.id}/test`))
    expect([refused.status, JSON.stringify(refused.details)]).toEqual([
      422,
      expect.stringContaining('the receiver does not answer'),
    ])
  })

  test('are listed with their status, recovered when they failed, and replayed', async () => {
    let status = 500
    const receiver = await aCalledServer((_, response) => void response.writeHead(status).end('no'))
    const { id } = await made({ url: `http://127.0.0.1:${receiver.port}/hook` })
    const since = new Date(around.clock.now() - 1000).toISOString()
    startDelivery(around.api)
    await aNewContact(around)
    const log = async (query = '') => (await owner.get(at(`/${id}/deliveries${query}`))).items
    const failed = await until('the failed call', async () => (await log()).at(0))
    expect(failed).toMatchObject({ seq: 1, kind: 'contact.created', outcome: 'failed', status: 500, answer: null })
    status = 200
    around.clock.advance(3_600_000)
    await until('the delivery', async () => (await log()).find(({ outcome }) => outcome === 'delivered'))
    await untilPosition(around, id, { seq: 1 })
    expect((await log('?failed=true')).map(({ outcome }) => outcome)).not.toContain('delivered')
    expect(await log('?limit=1')).toHaveLength(1)
    const recovered = await owner.post(at(`/${id}/replays`), { failedSince: since })
    expect([recovered.status, JSON.stringify(recovered.details)]).toEqual([
      422,
      expect.stringContaining('no event that has failed since that time is still undelivered'),
    ])
    const replayed = await owner.post(at(`/${id}/replays`), { from: 1, to: 1 })
    expect([replayed.status, replayed.data]).toMatchObject([201, { from: 1, to: 1, events: 1 }])
    await until('the replay', () => receiver.received.find(({ headers }) => headers['crm-replay'] !== undefined))
    expect(eventIn(receiver.received.at(-1) ?? { method: '', path: '', headers: {}, body: '{}' })).toMatchObject({
      seq: 1,
    })
    await until('its end', async () => {
      const { data } = await owner.get(at(`/${id}`))
      return JSON.stringify(data.replays).includes('"state":"ended"')
    })
    expect((await owner.delete(at(`/${id}/replays/${String(replayed.data.id)}`))).status).toBe(422)
  })

  test('are not replayed from nowhere, and a replay is canceled', async () => {
    const { id } = await made()
    const replay = (body: object) => owner.post(at(`/${id}/replays`), body)
    for (const wrong of [
      {},
      { from: 1, failedSince: '2026-01-01' },
      { to: 2, failedSince: '2026-01-01' },
      { from: 'soon' },
      { failedSince: '0000-01-01T00:00:00Z' },
      { from: '+275760-09-13T00:00:00Z' },
      { from: '1' },
    ])
      expect([wrong, (await replay(wrong)).status]).toEqual([wrong, 400])
    expect((await replay({ from: 1 })).status).toBe(422)
    expect((await replay({ from: '2026-01-01T00:00:00Z' })).status).toBe(422)
    await aNewContact(around)
    await around.api.test.database.query(
      statement('test_webhook_from_start', 'update webhook_subscriptions set from_seq = 1 where organization_id = $1'),
      [around.organization.id],
    )
    const begun = await replay({ from: 1 })
    expect(begun.status).toBe(201)
    expect((await owner.delete(at(`/${id}/replays/${String(begun.data.id)}`))).data).toEqual({ id: begun.data.id })
    expect((await owner.get(at(`/${id}`))).data.replays).toMatchObject([{ state: 'ended', reason: 'canceled' }])
  })
})

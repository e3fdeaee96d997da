import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { bounds } from '../../kernel/index.ts'
import { Outbound } from '../../kernel/outbound/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { eventSources, nestedResources, resources, settingKinds } from '../../modules.ts'
import {
  application,
  createApplication,
  createOrganization,
  createToken,
  createWebhook,
  listSettings,
  pauseWebhook,
  removeSetting,
  resumeWebhook,
  revokeToken,
  rotateWebhook,
  setWebhook,
  showSetting,
  token,
  webhook,
} from '../index.ts'

const day = 86_400_000
const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time }
const kinds = [...resources, ...nestedResources, ...settingKinds]

let test: TestDatabase
let by: Parameters<typeof createWebhook>[0]
let organizationId: string
let applicationId: string
let tokenId: string

beforeAll(async () => {
  test = await createTestDatabase()
  by = { ...test, clock, eventSources, outbound: new Outbound({ allowedNetworks: ['10.0.0.0/8'] }) }
})
afterAll(() => test?.drop())
beforeEach(async () => {
  organizationId = (await createOrganization(test, { name: 'Acme' })).id
  ;({ applicationId, tokenId } = await anApplication('ERP'))
})

async function anApplication(name: string, of = organizationId) {
  const { id } = await createApplication(test, { organizationId: of, name })
  const made = await createToken(test, { organizationId: of, applicationId: id, name: 'Sync', scopes: ['all'] })
  return { applicationId: id, tokenId: made.id }
}

const url = 'https://hooks.example/crm'
const create = (input: object = {}) =>
  createWebhook(by, { organizationId, applicationId, name: randomUUID(), url, kinds: ['contact.*'], ...input })
const set = (id: string, input: object) => setWebhook(by, { organizationId, id, ...input })
const show = (id: string) => showSetting(test.database, webhook, id, organizationId)
const list = (of = organizationId) => listSettings(test.database, webhook, { organizationId: of })
const select = (name: string, text: string, values: readonly unknown[] = [organizationId]) =>
  test.database.search(statement(`test_webhooks_${name}`, text), values)

async function storedOf(id: string) {
  const [row = {}] = await select(
    'stored',
    `select t.secret, t.former_secret as former, t.headers, t.former_secret_until as "formerUntil"
       from webhook_subscriptions t where t.organization_id = $1 and t.id = $2`,
    [organizationId, id],
  )
  const plain = (stored: unknown) =>
    typeof stored === 'string'
      ? test.secret.keyring.decrypt(stored, { organizationId, kind: 'webhook', recordId: id })
      : null
  const headers: unknown = JSON.parse(plain(row.headers) ?? 'null')
  return { secret: plain(row.secret), former: plain(row.former), headers, formerUntil: row.formerUntil }
}

describe('a new webhook', () => {
  it('begins after the head of the feed, and has default values for everything else', async () => {
    await select('feed', 'update organization_feed f set seq = 7 where f.organization_id = $1 returning 1')
    const { id, secret } = await create({ name: ' Hook ', kinds: ['contact.*', 'contact.*', 'deal.moved'] })
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32)
    const now = new Date(clock.time).toISOString()
    expect(await show(id)).toEqual({
      organizationId,
      id,
      version: 1,
      applicationId,
      name: 'Hook',
      url,
      kinds: ['contact.*', 'deal.moved'],
      filter: {},
      changedFields: [],
      body: 'thin',
      tokenId: null,
      scopes: [],
      despiteNetworks: false,
      ownChanges: 'send',
      concurrency: 10,
      headerNames: [],
      headersUpdatedAt: null,
      secretUpdatedAt: now,
      formerSecretUntil: null,
      enabled: true,
      resumedAt: null,
      fromSeq: 7,
      fromEpoch: 1,
      createdAt: now,
      updatedAt: now,
    })
    expect(await storedOf(id)).toEqual({ secret, former: null, headers: null, formerUntil: null })
  })

  it('stores the values that it was created with', async () => {
    const given = { body: 'full', tokenId, despiteNetworks: true, ownChanges: 'skip', concurrency: 50 }
    const filter = [
      { name: 'status', value: 'open' },
      { name: 'status', value: 'won' },
      { name: 'ownerUuid', value: organizationId },
    ]
    const more = { kinds: ['deal.updated'], changedFields: ['stageUuid'], scopes: ['crm_deals_read'], filter }
    const { id } = await create({ ...given, ...more })
    expect(await show(id)).toMatchObject({
      ...given,
      ...more,
      filter: { status: ['open', 'won'], ownerUuid: [organizationId] },
    })
  })

  it.each<[object, string]>([
    [{ name: '' }, 'the name of a webhook takes 1 to 200 characters, without control characters'],
    [{ url: 'ftp://hooks.example' }, 'an address that begins with https:// is expected'],
    [{ url: 'https://127.0.0.1/' }, '127.0.0.1 is no public address, and the operator has not allowed it'],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 'is no public address, and the operator has not allowed it'],
    [{ url: 'http://192.0.2.1/' }, '192.0.2.1 is no public address'],
    [{ kinds: [] }, 'a webhook is for at least one kind of events'],
    [{ kinds: ['contact.creatd'] }, 'no such kind of events: contact.creatd: did you mean contact.created?'],
    [{ filter: [{ name: 'status', value: 'open' }] }, 'no such filter of the kind contact: status'],
    [{ changedFields: ['stageUuid'] }, 'no event of these kinds names a changed field stageUuid'],
    [{ body: 'thick' }, 'the body is one of thin, full, not "thick"'],
    [{ ownChanges: 'keep' }, 'own changes is one of send, skip, not "keep"'],
    [{ concurrency: 0 }, 'concurrency is a whole number from 1 to 50'],
    [{ concurrency: 51 }, 'concurrency is a whole number from 1 to 50'],
    [{ tokenId: 'another' }, 'the application has no token another'],
    [{ scopes: ['crm_contacts_rea'] }, 'no such scope: crm_contacts_rea; did you mean crm_contacts_read?'],
    [{ headers: [{ name: 'Host', value: 'a' }] }, 'The header Host is made by the server'],
    [{ applicationId: '00000000-0000-4000-8000-000000000000' }, 'no such application'],
  ])('is refused for %o', async (input, reason) => {
    await expect(create(input)).rejects.toThrow(reason)
    expect(await list()).toEqual([])
  })

  it('may go to an address that the operator has allowed, and over http only where one is', async () => {
    await create({ url: 'http://10.1.2.3:8080/' })
    await create({ url: 'http://crm.internal/' })
    const guarded = { ...by, outbound: new Outbound({ allowedNetworks: [] }) }
    const given = { organizationId, applicationId, name: 'Hook', url: 'http://crm.internal/', kinds: ['*'] }
    await expect(createWebhook(guarded, given)).rejects.toThrow('http URLs are for addresses that the operator has')
  })

  it('has a name that no other webhook of the application has', async () => {
    const { id } = await create({ name: 'Hook' })
    await expect(create({ name: 'hook' })).rejects.toThrow('another webhook of the application is named hook')
    const other = await anApplication('Shop')
    const namesake = await create({ ...other, tokenId: null, name: 'Hook' })
    await set(namesake.id, { name: 'Hook' })
    await set((await create({ name: 'Another' })).id, { name: 'Third' })
    await expect(set(id, { name: 'third' })).rejects.toThrow('another webhook of the application is named third')
  })

  it('is refused when the organization has twenty, whichever of its applications have them', async () => {
    const other = await anApplication('Shop')
    const made = []
    for (let count = 0; count < bounds.webhooks.most; count += 1)
      made.push(await create(count % 2 === 0 ? {} : { ...other, tokenId: null }))
    await expect(create()).rejects.toThrow('an organization has at most 20 webhooks')
    const elsewhere = (await createOrganization(test, { name: 'Other' })).id
    const { applicationId: theirs } = await anApplication('ERP', elsewhere)
    await create({ organizationId: elsewhere, applicationId: theirs })
    await removeSetting(by, { organizationId, kind: webhook, id: made[0]?.id ?? '' }, kinds)
    const both = await Promise.allSettled([create(), create()])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('the token of a webhook', () => {
  it('must be named where the application has several, and be valid', async () => {
    const address = { organizationId, applicationId }
    const { id: second } = await createToken(test, { ...address, name: 'Second', scopes: ['all'] })
    await expect(create()).rejects.toThrow('the application has several valid tokens, name one: ')
    const { id } = await create({ tokenId: second })
    await expect(set(id, { tokenId: null })).rejects.toThrow('the application has several valid tokens')
    await revokeToken(test, { organizationId, tokenId })
    await expect(set(id, { tokenId })).rejects.toThrow(`the token ${tokenId} is not valid`)
    await set(id, { tokenId: null })
    await revokeToken(test, { organizationId, tokenId: second })
    await expect(create()).rejects.toThrow('the application has no valid token: create one first')
    // A webhook whose token has ended waits for another one, and can be changed otherwise.
    await set(id, { name: 'Waiting' })
  })

  it('may be limited to networks only with despiteNetworks, which the audit log shows', async () => {
    const limited = { organizationId, applicationId, name: 'Limited', scopes: ['all'], cidrs: ['10.0.0.0/8'] }
    const { id: narrow } = await createToken(test, limited)
    await expect(create({ tokenId: narrow })).rejects.toThrow(`the token ${narrow} is accepted from some networks only`)
    const { id } = await create({ tokenId: narrow, despiteNetworks: true })
    await expect(set(id, { despiteNetworks: false })).rejects.toThrow('is accepted from some networks only')
    const [entry] = await select(
      'networks',
      `select a.changes from audit_entries a where a.organization_id = $1 and a.action = 'webhook.created'`,
    )
    expect(entry?.changes).toContainEqual({ field: 'despiteNetworks', before: null, after: true })
  })

  it('is of the same application', async () => {
    const other = await anApplication('Shop')
    await expect(create({ tokenId: other.tokenId })).rejects.toThrow(`the application has no token ${other.tokenId}`)
  })
})

describe('the secret and the headers of a webhook', () => {
  const headers = [
    { name: 'Authorization', value: 'Bearer a8fd0c6e-credential' },
    { name: 'X-Tenant', value: 'a8fd0c6e-tenant' },
  ]

  it('stand in no list, audit entry or other place of the database', async () => {
    const { id, secret } = await create({ headers })
    const { secret: second } = await rotateWebhook(by, { organizationId, id })
    const { moved } = await set(id, { url: 'https://other.example/', headers })
    await set(id, { headers: [{ name: 'X-Tenant', value: 'a8fd0c6e-other' }] })
    const rows = await select(
      'everything',
      `select coalesce(jsonb_agg(to_jsonb(t))::text, '') || coalesce((select jsonb_agg(to_jsonb(a))::text from audit_entries a), '') as text
         from webhook_subscriptions t`,
      [],
    )
    const told = JSON.stringify([rows, await list(), await show(id)])
    expect(told).toContain('X-Tenant')
    for (const hidden of [secret, second, moved?.secret ?? '', ...headers.map(({ value }) => value), 'a8fd0c6e'])
      for (const text of [hidden, hidden.replace('whsec_', '')]) expect(told.includes(text), text).toBe(false)
  })

  it('leave an entry of each change, although their names stay', async () => {
    const { id } = await create({ headers })
    clock.time += 1000
    await set(id, { headers: headers.map(({ name }) => ({ name, value: 'another-value' })) })
    clock.time += 1000
    await rotateWebhook(by, { organizationId, id, overlap: 0 })
    const entries = await select(
      'entries',
      `select jsonb_path_query_array(a.changes, '$[*].field') as fields
         from audit_entries a where a.organization_id = $1 and a.action = 'webhook.updated' order by a.occurred_at`,
    )
    expect(entries.map(({ fields }) => fields)).toEqual([['headersUpdatedAt'], ['secretUpdatedAt']])
    expect((await storedOf(id)).headers).toEqual(headers.map(({ name }) => ({ name, value: 'another-value' })))
  })

  it('no longer include headers that were removed', async () => {
    const { id } = await create({ headers })
    expect(await show(id)).toMatchObject({ headerNames: ['Authorization', 'X-Tenant'] })
    expect(await set(id, { headers: null })).toEqual({ id })
    expect(await show(id)).toMatchObject({ headerNames: [], headersUpdatedAt: null })
    expect((await storedOf(id)).headers).toBeNull()
  })

  it.each([
    ['scheme', 'http://10.1.2.3/crm', 'https://10.1.2.3/crm'],
    ['host', url, 'https://hooks.example.evil.example/crm'],
    ['port', url, 'https://hooks.example:8443/crm'],
  ])('are replaced by a new secret without headers when the %s of the address changes', async (_, from, to) => {
    const { id, secret } = await create({ url: from, headers })
    await rotateWebhook(by, { organizationId, id })
    const { moved } = await set(id, { url: to })
    expect(moved?.removedHeaders).toEqual(['Authorization', 'X-Tenant'])
    const stored = await storedOf(id)
    expect(stored).toEqual({ secret: moved?.secret, former: null, headers: null, formerUntil: null })
    expect(stored.secret).not.toBe(secret)
    expect(await show(id)).toMatchObject({ url: to, headerNames: [], headersUpdatedAt: null, formerSecretUntil: null })
    expect((await set(id, { url: from })).moved?.removedHeaders).toEqual([])
    expect((await storedOf(id)).headers).toBeNull()
  })

  it('stay with another path, and with the same address in other letters', async () => {
    const { id, secret } = await create({ headers })
    for (const same of ['https://hooks.example/other?a=b', 'HTTPS://HOOKS.example:443/'])
      expect(await set(id, { url: same })).toEqual({ id })
    expect(await storedOf(id)).toMatchObject({ secret, headers })
  })

  it('include the headers that are given together with another host', async () => {
    const { id } = await create({ headers })
    const others = [{ name: 'X-Key', value: 'for-the-other-one' }]
    expect((await set(id, { url: 'https://other.example/', headers: others })).moved?.removedHeaders).toEqual([])
    expect((await storedOf(id)).headers).toEqual(others)
  })
})

describe('a rotation', () => {
  it('replaces the secret, and keeps the former one for a day', async () => {
    const { id, secret: former } = await create()
    const { secret, formerSecretUntil } = await rotateWebhook(by, { organizationId, id })
    expect(formerSecretUntil).toBe(new Date(clock.time + day).toISOString())
    expect(await storedOf(id)).toMatchObject({ secret, former })
    const third = await rotateWebhook(by, { organizationId, id, overlap: 7 * day })
    expect(await storedOf(id)).toMatchObject({ secret: third.secret, former: secret })
    expect(third.formerSecretUntil).toBe(new Date(clock.time + 7 * day).toISOString())
  })

  it('without an overlap keeps none', async () => {
    const { id } = await create()
    await rotateWebhook(by, { organizationId, id })
    const { secret } = await rotateWebhook(by, { organizationId, id, overlap: 0 })
    expect(await storedOf(id)).toMatchObject({ secret, former: null, formerUntil: null })
  })

  it('has an overlap of seven days at most', async () => {
    const { id } = await create()
    for (const overlap of [-1, 7 * day + 1])
      await expect(rotateWebhook(by, { organizationId, id, overlap })).rejects.toThrow('an overlap is 7d at most')
  })
})

describe('a pause', () => {
  it('ends with a resumption, whose time is kept', async () => {
    const { id } = await create()
    for (let count = 0; count < 2; count += 1) expect(await pauseWebhook(by, { organizationId, id })).toEqual({ id })
    expect(await show(id)).toMatchObject({ enabled: false, resumedAt: null, version: 2 })
    clock.time += 1000
    await resumeWebhook(by, { organizationId, id })
    expect(await show(id)).toMatchObject({ enabled: true, resumedAt: new Date(clock.time).toISOString() })
  })

  it('of a webhook without a secret ends only when it has one', async () => {
    const { id } = await create()
    await select(
      'take_secret',
      `update webhook_subscriptions t set secret = null, secret_updated_at = null, enabled = false
        where t.organization_id = $1 and t.id = $2 returning 1`,
      [organizationId, id],
    )
    await expect(resumeWebhook(by, { organizationId, id })).rejects.toThrow(
      'the webhook has no secret: rotate it first',
    )
    expect(await rotateWebhook(by, { organizationId, id })).toMatchObject({ formerSecretUntil: null })
    await resumeWebhook(by, { organizationId, id })
    expect(await show(id)).toMatchObject({ enabled: true })
  })
})

describe('webhooks of two organizations', () => {
  it('know nothing of each other', async () => {
    const { id } = await create()
    const other = (await createOrganization(test, { name: 'Other' })).id
    const address = { organizationId: other, id }
    const unknown = `no such webhook: ${id}`
    const attempts: (() => Promise<unknown>)[] = [
      () => setWebhook(by, { ...address, name: 'Taken' }),
      () => pauseWebhook(by, address),
      () => resumeWebhook(by, address),
      () => rotateWebhook(by, address),
      () => removeSetting(by, { ...address, kind: webhook }, kinds),
      () => showSetting(test.database, webhook, id, other),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(unknown)
    await expect(create({ organizationId: other })).rejects.toThrow('no such application')
    expect(await list(other)).toEqual([])
    expect(await show(id)).toMatchObject({ version: 1 })
  })
})

describe('the removal', () => {
  it('of a webhook leaves nothing but entries', async () => {
    const { id } = await create()
    await removeSetting(by, { organizationId, kind: webhook, id }, kinds)
    expect(await list()).toEqual([])
  })

  it('of an application is refused while it has webhooks or tokens', async () => {
    const { id } = await create()
    const remove = () => removeSetting(by, { organizationId, kind: application, id: applicationId }, kinds)
    await expect(remove()).rejects.toThrow('the application is in use by tokens (1), webhooks (1): disable it instead')
    await revokeToken(test, { organizationId, tokenId })
    const [{ recordId } = {}]: readonly JsonObject[] = await listSettings(test.database, token, { organizationId })
    await removeSetting(by, { organizationId, kind: token, id: String(recordId) }, kinds)
    await expect(remove()).rejects.toThrow('the application is in use by webhooks (1): disable it instead')
    await removeSetting(by, { organizationId, kind: webhook, id }, kinds)
    await remove()
  })
})

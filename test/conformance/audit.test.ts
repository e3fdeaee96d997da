import { describe, expect, it, onTestFinished } from 'vitest'
import type { Operation, Scope } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { startApi } from '../support/api.ts'
import { Client } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { admitted, doneTasks } from './support/bulk-jobs.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { csv, importFile } from './support/imports.ts'
import { aRecord, aRequest, issuePaths, named, outcome, send } from './support/requests.ts'

const given = useApi()

/** A contact that is renamed, in an organization of its own. */
async function aRenamedContact() {
  const organization = await given.organization()
  const contact = await aRecord('contact', organization)
  const renamed = await organization.client.patch(
    `/contacts/${contact.id}`,
    { expectedVersion: 1, lastName: 'Smirnova' },
    { headers: { 'x-request-id': '0197e2a4-0000-7000-8000-00000000beef' } },
  )
  expect(renamed.status).toBe(200)
  return { organization, contact }
}

const actionsOf = async (client: Client, query = '') =>
  (await client.get(`/audit${query}`)).items.map(({ action }) => action)

/** Adds as many entries of tasks as one page looks at, newer than all others, with this id of the task. */
async function addNewerEntries(organizationId: string, resourceId: unknown): Promise<void> {
  await given.sql(
    `insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type,
       request_id, changes)
     select $1, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), 'task', $2, 'task.updated', 'system',
            $2, '[]' from generate_series(1, 10000) as n`,
    [organizationId, resourceId],
  )
}

describe('GET /audit', () => {
  it('shows author, token, address and request of each change, with the values before and after', async () => {
    const { organization, contact } = await aRenamedContact()
    const { items, meta } = await organization.client.get('/audit')
    expect(meta).toEqual({ nextCursor: null })
    expect(items.map(({ action }) => action)).toEqual(['contact.updated', 'contact.created'])
    const [, , tokenId] = organization.client.token.split('_')
    expect(items[0]).toEqual({
      id: expect.any(String),
      occurredAt: new Date(given.clock.now()).toISOString(),
      resourceType: 'contact',
      resourceId: contact.id,
      action: 'contact.updated',
      applicationId: organization.applicationId,
      tokenId,
      addressClass: 'loopback',
      actorType: 'application',
      actorUserUuid: null,
      requestId: '0197e2a4-0000-7000-8000-00000000beef',
      versionBefore: 1,
      versionAfter: 2,
      changes: [{ field: 'lastName', before: 'Petrova', after: 'Smirnova' }],
      jobId: null,
      overwrite: false,
    })
    expect(items[1]).toMatchObject({ versionBefore: null, versionAfter: 1 })
  })

  it.each([
    ['loopback', '127.0.0.1'],
    ['private', '10.20.30.40'],
    ['public', '203.0.113.9'],
  ])(
    'shows that a request came from a %s address, and keeps the address nowhere: %s',
    async (addressClass, address) => {
      const behindProxy = await startApi({ beside: given.api, trustedProxies: ['127.0.0.1'] })
      onTestFinished(() => behindProxy.close())
      const organization = await given.organization()
      const client = new Client(behindProxy.url, organization.client.token)
      const headers = { 'x-forwarded-for': address }
      expect((await client.post('/contacts', { lastName: 'Petrova' }, { headers })).status).toBe(201)
      expect((await organization.client.get('/audit')).items).toMatchObject([{ addressClass }])
      const stored = await given.sql('select * from audit_entries where organization_id = $1', [organization.id])
      expect(JSON.stringify(stored)).not.toContain(address)
    },
  )

  it('shows no token and no address of what a job did: of the request that began it alone', async () => {
    const organization = await given.organization()
    const { client } = organization
    const tasks = [await aRecord('task', organization)]
    await admitted(client, doneTasks(tasks))
    await importFile(given.api, client, csv(['Name'], ['Anna']), { mapping: { firstName: 'Name' } })
    await runJobs(given.api)
    const { items } = await client.get('/audit')
    const [, , tokenId] = client.token.split('_')
    const [request, job] = [
      [tokenId, 'loopback'],
      [null, null],
    ]
    expect(Object.fromEntries(items.map(entry => [entry.action, [entry.tokenId, entry.addressClass]]))).toEqual({
      'task.created': request,
      'bulk_job.created': request,
      'task.updated': job,
      'bulk_job.completed': job,
      'import.created': request,
      'import.started': request,
      'contact.created': job,
      'import.completed': job,
    })
    const ofJob = items.filter(({ resourceType }) => resourceType === 'bulk_job')
    expect(ofJob.map(({ changes }) => changes)).toEqual([[], []])
  })

  it('shows what led to a record that is gone, and nothing of another organization by its id', async () => {
    const { organization, contact } = await aRenamedContact()
    await organization.client.delete(`/contacts/${contact.id}?expectedVersion=2&mode=full`)
    const trail = `?resourceId=${contact.id}`
    expect(await actionsOf(organization.client, trail)).toEqual([
      'contact.deleted',
      'contact.updated',
      'contact.created',
    ])
    expect(await actionsOf((await given.organization()).client, trail)).toEqual([])
  })

  it('filters by type, action and application, together too', async () => {
    const { organization } = await aRenamedContact()
    const { client, applicationId } = organization
    await aRecord('company', organization)
    const other = await organization.application()
    expect((await other.client.post('/companies', { name: 'Southwind' })).status).toBe(201)
    expect(await actionsOf(client, '?resourceType=company')).toEqual(['company.created', 'company.created'])
    expect(await actionsOf(client, '?action=contact.updated')).toEqual(['contact.updated'])
    expect(await actionsOf(client, `?applicationId=${other.id.toUpperCase()}`)).toEqual(['company.created'])
    expect(await actionsOf(client, `?resourceType=company&applicationId=${applicationId}`)).toHaveLength(1)
    for (const nothing of ['resourceType=unicorn', 'action=contact', `applicationId=${newId()}`])
      expect(await actionsOf(client, `?${nothing}`)).toEqual([])
  })

  it('shows the trail of one record, by itself or with other filters', async () => {
    const { organization, contact } = await aRenamedContact()
    const { client } = organization
    await aRecord('contact', organization)
    const { items } = await client.get(`/audit?resourceId=${String(contact.id).toUpperCase()}`)
    expect(items.map(({ action, resourceId }) => [action, resourceId])).toEqual([
      ['contact.updated', contact.id],
      ['contact.created', contact.id],
    ])
    expect(await actionsOf(client, `?resourceId=${contact.id}&action=contact.created`)).toEqual(['contact.created'])
    for (const nothing of [`resourceId=${newId()}`, `resourceId=${contact.id}&resourceType=deal`])
      expect(await actionsOf(client, `?${nothing}`)).toEqual([])
  })

  it('pages through the trail of one record with cursors of its own', async () => {
    const { organization, contact } = await aRenamedContact()
    const { client } = organization
    await aRecord('contact', organization)
    const path = `/audit?resourceId=${contact.id}&limit=1`
    const first = await client.get(path)
    const second = await client.get(`${path}&cursor=${first.meta.nextCursor}`)
    const actions = [first, second].flatMap(({ items }) => items.map(({ action }) => action))
    expect([actions, second.meta.nextCursor]).toEqual([['contact.updated', 'contact.created'], null])
    expect(outcome(await client.get(`/audit?limit=1&cursor=${first.meta.nextCursor}`))).toBe('400 invalid_cursor')
  })

  it('refuses filters that are too long, empty, or no id', async () => {
    const { client } = await given.shared()
    const fitting = `?resourceType=${'x'.repeat(64)}&action=${'x'.repeat(128)}`
    expect((await client.get(`/audit${fitting}`)).status).toBe(200)
    for (const [name, value] of [
      ['resourceType', 'x'.repeat(65)],
      ['action', 'x'.repeat(129)],
      ['action', ''],
      ['applicationId', 'ERP'],
      ['resourceId', 'contact-1'],
    ] as const) {
      const refused = await client.get(`/audit?${name}=${value}`)
      expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', [`query:${name}`]])
    }
  })

  it('is paged by key: nothing comes twice, and later entries come on no later page', async () => {
    const organization = await given.organization()
    const { client } = organization
    const ids = []
    for (let count = 0; count < 5; count += 1) ids.unshift((await aRecord('contact', organization)).id)
    const first = await client.get('/audit?limit=2')
    await aRecord('contact', organization)
    const second = await client.get(`/audit?limit=2&cursor=${first.meta.nextCursor}`)
    const third = await client.get(`/audit?limit=2&cursor=${second.meta.nextCursor}`)
    const seen = [first, second, third].flatMap(({ items }) => items.map(({ resourceId }) => resourceId))
    expect([seen, third.meta.nextCursor]).toEqual([ids, null])
    expect(outcome(await client.get(`/audit?limit=2&action=x&cursor=${first.meta.nextCursor}`))).toBe(
      '400 invalid_cursor',
    )
  })

  it('looks at no more than a bounded number of entries for one page, and says that there may be more', async () => {
    const { organization, contact } = await aRenamedContact()
    const { client, id } = organization
    await addNewerEntries(id, contact.id)
    const first = await client.get('/audit?resourceType=contact')
    expect([first.items, typeof first.meta.nextCursor]).toEqual([[], 'string'])
    const second = await client.get(`/audit?resourceType=contact&cursor=${first.meta.nextCursor}`)
    expect([second.items.length, second.meta.nextCursor]).toEqual([2, null])

    const trail = `/audit?resourceType=contact&resourceId=${contact.id}`
    const start = await client.get(trail)
    expect([start.items, typeof start.meta.nextCursor]).toEqual([[], 'string'])
    expect((await client.get(`${trail}&cursor=${start.meta.nextCursor}`)).items).toHaveLength(2)
  })

  it('looks at the entries of the record alone where the request names one', async () => {
    const { organization, contact } = await aRenamedContact()
    await addNewerEntries(organization.id, newId())
    const { items, meta } = await organization.client.get(`/audit?resourceId=${contact.id}`)
    expect([items.length, meta.nextCursor]).toEqual([2, null])
  })
})

describe('a read', () => {
  const isPreview = ({ id }: Operation) => id.endsWith('Preview')
  const reads = operations.filter(operation => operation.method === 'GET' && !isPreview(operation))

  it.each(named(reads))('leaves no entry and no event: %s', async (_, operation) => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const facts = await factsOf(given, organization, async () => {
      expect((await send(organization.client, request)).status).toBe(200)
    })
    expect(facts).toEqual(nothing)
  })
})

describe('an entry that a token may not read', () => {
  const withTypes = (...scopes: Scope[]) => ['crm_audit_read' as const, ...scopes]

  it('is left out by its type, also when the request names that type or the record', async () => {
    const { organization, contact } = await aRenamedContact()
    await aRecord('company', organization)
    const poor = await organization.token(withTypes('crm_companies_read'))
    expect(await actionsOf(poor)).toEqual(['company.created'])
    expect(await actionsOf(poor, '?resourceType=contact')).toEqual([])
    expect(await actionsOf(poor, `?resourceId=${contact.id}`)).toEqual([])
    expect(await actionsOf(await organization.token(withTypes()))).toEqual([])
  })

  it('is shown for jobs to those who manage jobs, and for settings to nobody', async () => {
    const { id, client, token } = await given.organization()
    for (const type of ['bulk_job', 'export', 'import', 'token']) {
      await given.sql(
        `insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type,
           request_id, changes) values ($1, $2, now(), $3, $2, $3 || '.created', 'system', $2, '[]')`,
        [id, newId(), type],
      )
    }
    expect(await actionsOf(client)).toEqual(['import.created', 'export.created', 'bulk_job.created'])
    expect(await actionsOf(await token(withTypes('crm_export_manage')))).toEqual(['export.created'])
  })

  it.each([
    ['contact_data', 'crm_contact_data_read', 'contactData'],
    ['custom_fields', 'crm_custom_fields_read', 'customFields'],
    ['tags', 'crm_tags_read', 'tags'],
    ['amounts', 'crm_amounts_read', 'amount'],
  ] as const)('%s: shows only the name of a field without %s', async (projection, scope, field) => {
    const organization = await given.organization()
    await changeEverything(organization)
    const changeOf = async (client: Client) => {
      const { items, meta } = await client.get('/audit')
      const changes = items.flatMap(entry => (Array.isArray(entry.changes) ? entry.changes : []))
      return { found: changes.filter(change => change.field === field), redacted: meta.redacted }
    }
    const whole = await changeOf(organization.client)
    expect(whole.found.length).toBeGreaterThan(0)
    expect(whole.found.every(change => 'before' in change && !('guard' in change))).toBe(true)
    expect(whole.redacted).toBeUndefined()
    const less = await changeOf(await organization.token(allBut(scope)))
    expect(less.found).toEqual(whole.found.map(() => ({ field, redacted: true })))
    expect(less.redacted).toEqual([projection])
  })

  it('shows no operators: neither the author, nor those named in a value', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('deal', organization)
    await organization.client.post(`/deals/${id}/activities`, { type: 'note', subject: 'Chairs' })
    const poor = await organization.token(allBut('crm_operators_read'))
    const { items, meta } = await poor.get('/audit')
    expect(meta.redacted).toEqual(['operators'])
    expect(items.filter(entry => 'actorUserUuid' in entry)).toEqual([])
  })

  it('shows a key to its own application alone', async () => {
    const { organization, contact } = await aRenamedContact()
    const other = await organization.application()
    const keyIn = async (client: Client) => {
      const { items } = await client.get('/audit?action=contact.created')
      const changes = Array.isArray(items[0]?.changes) ? items[0].changes : []
      return changes.filter(({ field }) => field === 'externalId')
    }
    expect(await keyIn(organization.client)).toEqual([{ field: 'externalId', before: null, after: contact.externalId }])
    expect(await keyIn(other.client)).toEqual([{ field: 'externalId', redacted: true }])
  })

  it('shows the contacts of a company to those who may read contacts', async () => {
    const organization = await given.organization()
    const company = await aRecord('company', organization)
    const { id } = await aRecord('contact', organization)
    const contacts = [{ id, role: 'Buyer' }]
    await organization.client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts })
    const changesFor = async (client: Client) => (await client.get('/audit?action=company.updated')).items[0]?.changes
    expect(await changesFor(organization.client)).toMatchObject([{ field: 'contacts', after: { role: 'Buyer' } }])
    const poor = await organization.token(withTypes('crm_companies_read'))
    expect(await changesFor(poor)).toEqual([{ field: 'contacts', redacted: true }])
  })

  it('shows the values of an erased person to nobody', async () => {
    const { organization, contact } = await aRenamedContact()
    await organization.client.delete(`/contacts/${contact.id}?expectedVersion=2`)
    const { items } = await organization.client.get('/audit')
    expect(items.map(({ action }) => action)).toEqual(['contact.anonymized', 'contact.updated', 'contact.created'])
    expect(items[1]?.changes).toEqual([{ field: 'lastName', redacted: true }])
  })
})

/** One change of each kind of protected value. */
async function changeEverything(organization: TestOrganization): Promise<void> {
  const { client, tag } = organization
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, position, created_at)
     values ($1, 'contact', 'region', 'Region', 'text', 0, now())`,
    [organization.id],
  )
  const contact = await aRecord('contact', organization)
  const changed = { expectedVersion: 1, customFields: { region: 'North' }, contactData: { phones: [] } }
  expect((await client.patch(`/contacts/${contact.id}`, changed)).status).toBe(200)
  await client.put(`/contacts/${contact.id}/tags`, { expectedVersion: 2, tags: [{ id: tag }] })
  const deal = await aRecord('deal', organization)
  expect((await client.patch(`/deals/${deal.id}`, { expectedVersion: 1, amount: '2.00' })).status).toBe(200)
}

import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { isUuid, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { everything } from './support/everything.ts'
import { factsOf } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aPerson, erase, person, traces } from './support/persons.ts'
import { aBody, aRecord, outcome } from './support/requests.ts'

const given = useApi()
const modes = ['anonymize', 'full'] as const

describe.each(modes)('a contact that is erased by mode %s', mode => {
  it('is answered with its new state and a receipt', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization)
    const { status, body } = await erase(organization, id, mode)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id,
        mode,
        result: mode === 'full' ? 'deleted' : 'anonymized',
        externalIdTombstoned: mode === 'full',
        unlinked: { deals: 0, companies: 0, tasks: 0 },
      },
      meta: { erasureId: expect.any(String) },
    })
    const erasureId = objectOf(body.meta).erasureId
    expect(isUuid(String(erasureId))).toBe(true)
    const receipts = await given.sql('select contact_id, mode from erasure_receipts where id = $1', [erasureId])
    expect(receipts).toEqual([{ contact_id: id, mode }])
  })

  it('is found nowhere in the database: record, search, keys, audit, answers, feed', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id, externalId } = await aPerson(organization)
    await client.patch(`/contacts/${id}`, { expectedVersion: 1, jobTitle: 'Quartermaster General' })
    await client.post('/contacts/upsert', { externalId, expectedVersion: 2, source: 'Leipzigfair 2' })
    const items = [
      { externalId, expectedVersion: 3, description: 'Sells barometers' },
      await aBody('contact', organization),
    ]
    await client.post('/contacts/batch/upsert', { items })
    const application = await organization.application()
    const theirs = { expectedVersion: 4, externalId: `theirs-xantippe-${id}` }
    await application.client.patch(`/contacts/${id}`, theirs)
    expect(await everything(given, organization)).toMatch(traces)
    expect((await erase(organization, id, mode, 5)).status).toBe(200)
    expect(await everything(given, organization)).not.toMatch(traces)
  })

  it('leaves other persons alone', async () => {
    const organization = await given.organization()
    const { client } = organization
    const key = 'two-persons'
    const items = [{ ...person, externalId: 'one' }, await aBody('contact', organization, { lastName: 'Survivor' })]
    const first = await client.post('/contacts/batch/upsert', { items }, { key })
    const survivor = objectOf(first.items[1]?.data)
    await erase(organization, objectOf(first.items[0]?.data).id, mode)
    expect((await client.get(`/contacts/${survivor.id}`)).data).toEqual(survivor)
    const audit = await given.sql('select changes from audit_entries where resource_id = $1', [survivor.id])
    expect(JSON.stringify(audit)).toContain('Survivor')
  })

  it('is gone from the list and from search', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aPerson(organization)
    await erase(organization, id, mode)
    for (const query of ['', '?search=zwetschkenbaum', '?search=2025550187']) {
      expect((await client.get(`/contacts${query}`)).items).toEqual([])
    }
  })

  it('loses its stored answers: an answer about it replays as 410, in a batch its element alone, and others replay as before', async () => {
    const organization = await given.organization()
    const { client } = organization
    const single = { ...person, externalId: 'single' }
    const created = await client.post('/contacts', single, { key: 'create' })
    const { id } = created.data
    const change = { expectedVersion: 1, jobTitle: 'Quartermaster General' }
    await client.patch(`/contacts/${id}`, change, { key: 'patch' })
    const upserted = { externalId: 'single', expectedVersion: 2, source: 'Leipzigfair 2' }
    await client.post('/contacts/upsert', upserted, { key: 'upsert' })
    const items = [
      await aBody('contact', organization, { lastName: 'Survivor' }),
      { externalId: 'single', expectedVersion: 3 },
      { externalId: '' },
    ]
    const batch = await client.post('/contacts/batch/upsert', { items }, { key: 'batch' })
    expect(batch.items.map(({ status }) => status)).toEqual([201, 200, 400])
    const others = { items: [await aBody('contact', organization, { lastName: 'Another' })] }
    const untouched = await client.post('/contacts/batch/upsert', others, { key: 'others' })
    await erase(organization, id, mode, 3)

    const repeated = [
      await client.post('/contacts', single, { key: 'create' }),
      await client.patch(`/contacts/${id}`, change, { key: 'patch' }),
      await client.post('/contacts/upsert', upserted, { key: 'upsert' }),
    ]
    expect(repeated.map(outcome)).toEqual(repeated.map(() => '410 resource_deleted'))
    expect(repeated.map(({ details }) => details.reason)).toEqual(repeated.map(() => 'person_erased'))
    const without = await client.post('/contacts/batch/upsert', { items }, { key: 'batch' })
    expect([without.status, without.headers.get('idempotent-replayed'), without.meta]).toEqual([
      200,
      'true',
      batch.meta,
    ])
    const [survivor, gone, malformed] = without.items
    expect([survivor, malformed]).toEqual([batch.items[0], batch.items[2]])
    const error = { code: 'resource_deleted', details: { reason: 'person_erased' } }
    expect(gone).toMatchObject({ index: 1, status: 410, error })
    expect(gone).not.toHaveProperty('data')
    const stored = await given.sql('select body from idempotency_answers where organization_id = $1', [organization.id])
    expect(JSON.stringify(stored)).not.toContain('Quartermaster')
    const again = await client.post('/contacts/batch/upsert', others, { key: 'others' })
    expect([again.headers.get('idempotent-replayed'), again.items]).toEqual(['true', untouched.items])
  })

  it('is replaced in a bounded number of the newest answers of batches; older ones are removed whole', async () => {
    const organization = await given.organization()
    const { client } = organization
    const items = [{ ...person, externalId: 'often' }, await aBody('contact', organization, { lastName: 'Survivor' })]
    const first = await client.post('/contacts/batch/upsert', { items }, { key: 'batch' })
    const { most } = bounds.rewrittenAnswers
    await given.sql(
      `insert into idempotency_answers (organization_id, application_id, key, fingerprint, created_at, status, body, person_ids, operation)
       select organization_id, application_id, key || n, fingerprint, created_at - n * interval '1 s', status, body, person_ids, operation
         from idempotency_answers, generate_series(1, $2) as n where organization_id = $1 and key = 'batch'
       returning key`,
      [organization.id, most],
    )
    await erase(organization, objectOf(first.items[0]?.data).id, mode)
    const repeated = async (key: string) => outcome(await client.post('/contacts/batch/upsert', { items }, { key }))
    expect(await repeated('batch')).toMatch(/^200/u)
    expect(await repeated(`batch${most - 1}`)).toMatch(/^200/u)
    expect(await repeated(`batch${most}`)).toBe('410 resource_deleted')
  })

  it('leaves its keys used: they still conflict with other requests', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { data } = await client.post('/contacts', { ...person, externalId: 'k' }, { key: 'kept' })
    await erase(organization, data.id, mode)
    const other = await client.post('/contacts', { lastName: 'Other' }, { key: 'kept' })
    expect(outcome(other)).toBe('409 idempotency_conflict')
  })

  it('replays the answer of the erasing request itself unchanged', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization)
    const first = await erase(organization, id, mode, 1, 'erase')
    const again = await erase(organization, id, mode, 1, 'erase')
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true'])
  })

  it('keeps its audit entries without values, and adds one for the erasure', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aPerson(organization)
    await client.patch(`/contacts/${id}`, { expectedVersion: 1, jobTitle: 'Quartermaster General' })
    await erase(organization, id, mode, 2)
    const rows = await given.sql(
      'select action, version_before, version_after, changes from audit_entries where resource_id = $1 order by id',
      [id],
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'contact.created',
      'contact.updated',
      mode === 'full' ? 'contact.deleted' : 'contact.anonymized',
    ])
    expect(rows[1]?.changes).toEqual([{ field: 'jobTitle', redacted: true }])
    for (const { changes } of rows) expect(JSON.stringify(changes)).not.toMatch(/"before"|"after"/u)
  })

  it('has events without a key afterwards, past and future', async () => {
    const organization = await given.organization()
    const { client } = organization
    const start = String((await client.get('/changes/cursor')).data.cursor)
    const { id } = await aPerson(organization)
    await client.patch(`/contacts/${id}`, { expectedVersion: 1, jobTitle: 'General' })
    await erase(organization, id, mode, 2)
    const { items } = await client.get(`/changes?after=${start}`)
    expect(items.map(({ kind, version, externalId, operation }) => [kind, version, externalId, operation])).toEqual([
      ['contact.created', 1, null, 'created'],
      ['contact.updated', 2, null, 'updated'],
      mode === 'full' ? ['contact.deleted', 3, null, 'deleted'] : ['contact.anonymized', 3, null, 'anonymized'],
    ])
    expect(items.at(-1)).toMatchObject({ resourceId: id, externalIdTombstoned: mode === 'full' })
  })

  it('keeps of every key an HMAC alone, for the application that had it', async () => {
    const organization = await given.organization()
    const { client } = await organization.application()
    const { id, externalId } = await aPerson(organization)
    await client.patch(`/contacts/${id}`, { expectedVersion: 1, externalId: 'theirs' })
    await erase(organization, id, mode, 2)
    const gone = mode === 'full' ? '410 external_reference_deleted' : '410 resource_deleted'
    const filter = (key: unknown) => `/contacts?externalId=${encodeURIComponent(String(key))}`
    expect(outcome(await organization.client.get(filter(externalId)))).toBe(gone)
    expect(outcome(await client.get(filter('theirs')))).toBe(gone)
    expect((await organization.client.get(filter('theirs'))).items).toEqual([])
    expect((await client.get(filter(externalId))).items).toEqual([])
    const rows = await given.sql('select gone, key from external_keys where resource_id = $1', [id])
    expect(rows).toHaveLength(2)
    for (const row of rows) expect([row.gone, row.key === externalId || row.key === 'theirs']).toEqual([true, false])
  })

  it('needs crm_contacts_delete, not the write scope', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization)
    const path = `/contacts/${id}?expectedVersion=1&mode=${mode}`
    const writer = await organization.token(allBut('crm_contacts_delete'))
    expect(outcome(await writer.delete(path))).toBe('403 insufficient_scope')
    const remover = await organization.token(['crm_contacts_delete'])
    expect((await remover.delete(path)).status).toBe(200)
  })

  it('may have no key', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization, { externalId: null })
    expect((await erase(organization, id, mode)).data.externalIdTombstoned).toBe(false)
  })
})

describe('an anonymized contact', () => {
  it('is the result of DELETE by default, and of its mode in query or body', async () => {
    const organization = await given.organization()
    const { client } = organization
    const result = async (query: string, body?: JsonObject) => {
      const { id } = await aPerson(organization)
      return (await client.delete(`/contacts/${id}${query}`, body)).data.result
    }
    expect(await result('?expectedVersion=1')).toBe('anonymized')
    expect(await result('', { expectedVersion: 1 })).toBe('anonymized')
    expect(await result('', { expectedVersion: 1, mode: 'full' })).toBe('deleted')
    expect(await result('?expectedVersion=1', { mode: 'full' })).toBe('deleted')
    const { id } = await aPerson(organization)
    const differing = await client.delete(`/contacts/${id}?expectedVersion=1&mode=full`, { mode: 'anonymize' })
    expect(outcome(differing)).toBe('400 validation_error')
    expect(outcome(await erase(organization, id, 'softly'))).toBe('400 validation_error')
  })

  it('is 410 by id: GET, PATCH, DELETE and batch get', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aPerson(organization)
    await erase(organization, id, 'anonymize')
    const answers = [
      await client.get(`/contacts/${id}`),
      await client.patch(`/contacts/${id}`, { expectedVersion: 2, lastName: 'Back' }),
      await erase(organization, id, 'anonymize', 2),
      await erase(organization, id, 'full', 2),
    ]
    expect(answers.map(outcome)).toEqual(answers.map(() => '410 resource_deleted'))
    const batch = await client.post('/contacts/batch/get', { items: [{ id }] })
    expect(batch.items).toMatchObject([{ status: 410, error: { code: 'resource_deleted' } }])
  })

  it('stays linked to its deals, which keep their versions', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aPerson(organization)
    const deal = await aRecord('deal', organization, { contacts: [{ id }] })
    const facts = await factsOf(given, organization, () => erase(organization, id, 'anonymize'))
    expect(facts.events.map(({ kind }) => kind)).toEqual(['contact.anonymized'])
    const contacts = [{ contactId: id, isPrimary: true, anonymized: true }]
    expect((await client.get(`/deals/${deal.id}`)).data).toEqual({ ...deal, contacts })
  })
})

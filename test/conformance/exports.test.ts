import { createHash } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseToken, scopes } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { aCompany, aContact, aDeal } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { issuePaths, outcome } from './support/requests.ts'

const day = 86_400_000

let api: TestApi
let clock: TestClock
let organization: TestOrganization
beforeAll(async () => {
  clock = new TestClock()
  api = await startApi({ clock })
})
afterAll(() => api.close())
beforeEach(async () => {
  organization = await anOrganization(api)
})

/** Asks for an export, lets it be written, and reads it. */
async function exported(body: object, client = organization.client) {
  const asked = await client.post('/exports', body)
  expect([asked.status, asked.data.status]).toEqual([202, 'queued'])
  await runJobs(api)
  const { data, meta } = await client.get(`/exports/${asked.data.id}`)
  return { id: String(asked.data.id), data, meta }
}

async function download(url: unknown): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await fetch(`${api.url}${new URL(String(url), api.url).pathname}`)
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** The rows of the file of an export, by their headers. */
async function rowsOf(body: object, client?: Client): Promise<Record<string, string>[]> {
  const { data } = await exported(body, client)
  return parse((await download(data.downloadUrl)).text, { columns: true })
}

async function created(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await organization.client.post(path, body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.data
}

describe('the file of an export', () => {
  it('has a row for each record, with its values under the keys of imports', async () => {
    const contact = await created(
      '/contacts',
      aContact({
        externalId: 'A-1',
        firstName: 'Анна "Anna", née\r\nIvanova',
        ownerUuid: organization.operator,
        contactData: {
          phones: [{ value: '+1 202 555 0143' }, { value: '+1 202 555 0144', isPrimary: true }],
          addresses: [{ city: 'Boston', line1: '1 Main Street, 2nd floor' }],
          birthDate: '1990-02-03',
        },
      }),
    )
    await organization.client.put(`/contacts/${contact.id}/tags`, {
      expectedVersion: 1,
      tags: [{ id: organization.tag }],
    })
    await created('/contacts', { firstName: '=1+1' })
    const [first, second, ...others] = await rowsOf({ type: 'contacts' })
    expect(others).toEqual([])
    expect(first).toMatchObject({
      uuid: contact.id,
      externalId: 'A-1',
      firstName: 'Анна "Anna", née\r\nIvanova',
      ownerUuid: organization.operator,
      phone1: '+1 202 555 0144',
      phone2: '+1 202 555 0143',
      phone3: '',
      'address.city': 'Boston',
      'address.line1': '1 Main Street, 2nd floor',
      birthDate: '1990-02-03',
      tags: 'Regular',
    })
    expect(second).toMatchObject({ firstName: '=1+1', externalId: '' })
  })

  it('ends its lines as RFC 4180 says, has no byte order mark, and has the size and hash that the export shows', async () => {
    await created('/companies', aCompany({ externalId: 'C-1', name: 'Зодиак' }))
    const { data } = await exported({ type: 'companies' })
    const { text, headers, status } = await download(data.downloadUrl)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="companies-2026-03-02.csv"/u)
    expect(text).toMatch(/^uuid,externalId,name,legalName,[^\r\n]+\r\n[-0-9a-f]{36},C-1,Зодиак,[^\r\n]*\r\n$/u)
    expect(data).toMatchObject({
      type: 'companies',
      status: 'completed',
      rowCount: 1,
      counters: { written: 1, pending: 0 },
      fileName: 'companies-2026-03-02.csv',
      sizeBytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      redacted: [],
      estimatedSecondsLeft: 0,
      downloadUrlExpiresInSeconds: 86_400,
      failure: null,
    })
    expect(data.expiresAt).toBe(new Date(clock.now() + 7 * day).toISOString())
  })

  it('has links in the order of their owners, the primary one first', async () => {
    const [one, two] = [await created('/companies', aCompany()), await created('/companies', aCompany())]
    const person = await created('/contacts', aContact())
    const other = await created('/contacts', aContact())
    const companies = [{ id: two.id }, { id: one.id }]
    const deal = await created('/deals', aDeal({ companies, contacts: [{ id: person.id }] }))
    await organization.client.put(`/companies/${one.id}/contacts`, {
      expectedVersion: 1,
      contacts: [{ id: other.id, role: 'Buyer' }, { id: person.id }],
    })
    const ofDeal = { dealUuid: deal.id }
    expect(await rowsOf({ type: 'deal_companies' })).toEqual([
      { ...ofDeal, companyUuid: two.id, isPrimary: 'true' },
      { ...ofDeal, companyUuid: one.id, isPrimary: 'false' },
    ])
    expect(await rowsOf({ type: 'deal_contacts' })).toEqual([{ ...ofDeal, contactUuid: person.id, isPrimary: 'true' }])
    expect(await rowsOf({ type: 'company_contacts' })).toEqual([
      { companyUuid: one.id, contactUuid: other.id, role: 'Buyer', isPrimary: 'true' },
      { companyUuid: one.id, contactUuid: person.id, role: '', isPrimary: 'false' },
    ])
    expect(await rowsOf({ type: 'deals' })).toMatchObject([
      { uuid: deal.id, amount: '1500.00', status: 'open', stageUuid: organization.stages.first },
    ])
  })

  it('has neither anonymized persons nor links to them', async () => {
    const gone = await created('/contacts', aContact())
    const stays = await created('/contacts', aContact())
    await created('/deals', aDeal({ contacts: [{ id: gone.id }, { id: stays.id }] }))
    await organization.client.delete(`/contacts/${gone.id}?expectedVersion=1`)
    expect((await rowsOf({ type: 'contacts' })).map(({ uuid }) => uuid)).toEqual([stays.id])
    expect(await rowsOf({ type: 'deal_contacts' })).toMatchObject([{ contactUuid: stays.id, isPrimary: 'false' }])
  })

  it('has apostrophes before formulas on request, also behind invisible characters and in full-width forms', async () => {
    await created('/contacts', aContact({ firstName: '=1', lastName: '\u200B＝1', jobTitle: 'a=b', source: '＠home' }))
    const [row] = await rowsOf({ type: 'contacts', csvSafe: true })
    expect(row).toMatchObject({ firstName: "'=1", lastName: "'\u200B＝1", jobTitle: 'a=b', source: "'＠home" })
  })

  it('has the keys of the requesting application', async () => {
    const company = await created('/companies', aCompany({ externalId: 'mine' }))
    const other = await organization.application()
    await other.client.patch(`/companies/${company.id}`, { expectedVersion: 1, externalId: 'theirs' })
    expect(await rowsOf({ type: 'companies' })).toMatchObject([{ externalId: 'mine' }])
    expect(await rowsOf({ type: 'companies' }, other.client)).toMatchObject([{ externalId: 'theirs' }])
  })

  it('has the records of its organization alone', async () => {
    const foreign = await anOrganization(api)
    await foreign.client.post('/contacts', aContact())
    expect(await rowsOf({ type: 'contacts' })).toEqual([])
  })
})

describe('filters', () => {
  it('choose the records that meet all of them', async () => {
    const early = await created('/companies', aCompany({ ownerUuid: organization.operator }))
    clock.advance(1000)
    const from = new Date(clock.now()).toISOString()
    const late = await created('/companies', aCompany())
    const tags = [{ id: organization.tag }]
    await organization.client.put(`/companies/${early.id}/tags`, { expectedVersion: 1, tags })
    const found = async (filters: object) => (await rowsOf({ type: 'companies', filters })).map(({ uuid }) => uuid)
    expect(await found({ createdFrom: from })).toEqual([late.id])
    expect(await found({ createdTo: from })).toEqual([early.id])
    expect(await found({ updatedFrom: from.replace('Z', '+00:00') })).toEqual([early.id, late.id])
    expect(await found({ ownerUuid: organization.operator.toUpperCase() })).toEqual([early.id])
    expect(await found({ tagIds: [organization.tag] })).toEqual([early.id])
    expect(await found({ tagIds: [organization.tag], createdFrom: from })).toEqual([])
  })

  it('of links are about the deals', async () => {
    const company = await created('/companies', aCompany())
    const inFirst = await created('/deals', aDeal({ companies: [{ id: company.id }] }))
    const { second } = organization.stages
    await created('/deals', aDeal({ companies: [{ id: company.id }], stageUuid: second }))
    const filters = { stageUuid: organization.stages.first, pipelineId: organization.pipelineId }
    expect(await rowsOf({ type: 'deal_companies', filters })).toMatchObject([{ dealUuid: inFirst.id }])
    expect(await rowsOf({ type: 'deals', filters })).toMatchObject([{ uuid: inFirst.id }])
  })

  it('that the records do not have, are unknown or malformed are refused', async () => {
    const { client } = organization
    const wrong = async (body: object) => {
      const answer = await client.post('/exports', body)
      return [outcome(answer), ...issuePaths(answer)]
    }
    const refused = '400 validation_error'
    expect(await wrong({ type: 'contacts', filters: { stageUuid: organization.stages.won } })).toEqual([
      refused,
      '/filters/stageUuid',
    ])
    expect(await wrong({ type: 'tasks' })).toEqual([refused, '/type'])
    expect(await wrong({ type: 'deals', filters: { createdFrom: 'yesterday', color: 1 } })).toEqual([
      refused,
      '/filters/color',
      '/filters/createdFrom',
    ])
    expect(await wrong({ type: 'deals', format: 'xlsx' })).toEqual([refused, '/format'])
  })
})

describe('data that a token may not read', () => {
  const without = (...left: string[]) => organization.token(scopes.filter(scope => !left.includes(scope)))

  it('has no columns, and the export says so', async () => {
    await created('/contacts', aContact())
    const client = await without('crm_contact_data_read', 'crm_tags_read')
    const { data } = await exported({ type: 'contacts' }, client)
    expect(data.redacted).toEqual(['contact_data', 'tags'])
    const { text } = await download(data.downloadUrl)
    expect(text.split('\r\n')[0]).toBe(
      'uuid,externalId,firstName,middleName,lastName,jobTitle,description,source,ownerUuid',
    )
    const poor = await without('crm_amounts_read')
    const deals = await exported({ type: 'deals' }, poor)
    expect(deals.data.redacted).toEqual(['amounts'])
    expect((await download(deals.data.downloadUrl)).text).not.toMatch(/amount|itemsTotal/u)
  })

  it('is in no filter', async () => {
    const client = await without('crm_tags_read')
    const answer = await client.post('/exports', { type: 'contacts', filters: { tagIds: [organization.tag] } })
    expect([outcome(answer), answer.details.missingScopes]).toEqual(['403 insufficient_scope', ['crm_tags_read']])
  })

  it('keeps the token from the link to a file with it', async () => {
    const { id, data } = await exported({ type: 'contacts' })
    expect(data.downloadUrl).toBeTypeOf('string')
    const client = await without('crm_contact_data_read')
    const one = await client.get(`/exports/${id}`)
    expect(one.data.status).toBe('completed')
    expect(one.data.downloadUrl).toBeUndefined()
    expect(one.meta).toEqual({ redacted: ['contact_data'] })
    const { items, meta } = await client.get('/exports')
    expect([items[0]?.id, items[0]?.downloadUrl, meta.redacted]).toEqual([id, undefined, ['contact_data']])
  })
})

describe('exports', () => {
  it('are listed for the requesting application, the newest first', async () => {
    const ids = []
    for (const type of ['contacts', 'companies', 'deals']) {
      clock.advance(10)
      ids.unshift((await organization.client.post('/exports', { type })).data.id)
    }
    const page = await organization.client.get('/exports?limit=2')
    const next = await organization.client.get(`/exports?limit=2&cursor=${page.meta.nextCursor}`)
    expect([...page.items, ...next.items].map(({ id }) => id)).toEqual(ids)
    expect(next.meta.nextCursor).toBeNull()
    expect(page.items[0]).toMatchObject({ status: 'queued', rowCount: null, startedAt: null })
    expect(page.items[0]?.downloadUrl).toBeUndefined()
    const other = await organization.application()
    expect((await other.client.get('/exports')).items).toEqual([])
    expect(outcome(await other.client.get(`/exports/${ids[0]}`))).toBe('404 not_found')
  })

  it('with one key are one export, also when the stored answer is gone', async () => {
    const { client } = organization
    const first = await client.post('/exports', { type: 'deals' }, { key: 'nightly' })
    const again = await client.post('/exports', { type: 'deals' }, { key: 'nightly' })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    await forgetAnswers()
    const late = await client.post('/exports', { type: 'deals' }, { key: 'nightly' })
    expect([late.status, late.data.id, late.headers.get('idempotent-replayed')]).toEqual([202, first.data.id, 'true'])
    expect((await client.get('/exports')).items).toHaveLength(1)
    const other = await client.post('/exports', { type: 'contacts' }, { key: 'nightly' })
    expect(outcome(other)).toBe('409 idempotency_conflict')
  })

  it('wait for each other up to a bound, and no more are admitted', async () => {
    const { client } = organization
    for (let count = 0; count < 20; count += 1)
      expect((await client.post('/exports', { type: 'deals' })).status).toBe(202)
    const refused = await client.post('/exports', { type: 'deals' })
    expect([outcome(refused), refused.details.bound]).toEqual(['503 service_unavailable', 'organizationExports'])
    await runJobs(api)
    const { items } = await client.get('/exports')
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'completed'))
    expect((await client.post('/exports', { type: 'deals' })).status).toBe(202)
  })

  it('leave audit entries', async () => {
    const { id } = await exported({ type: 'deals' })
    const { items } = await organization.client.get('/audit?resourceType=export')
    expect(items.map(({ action, resourceId }) => [action, resourceId])).toEqual([
      ['export.completed', id],
      ['export.created', id],
    ])
  })
})

const tokenIdOf = ({ token }: Client) => parseToken(token)?.tokenId

const forget = statement('test_forget_answers', 'delete from idempotency_answers where organization_id = $1')
const forgetAnswers = () => api.test.database.query(forget, [organization.id])

describe('a link to a file', () => {
  it('is good for a day, and a new one comes with each answer while the file is kept', async () => {
    const { id, data } = await exported({ type: 'deals' })
    clock.advance(day + 1000)
    expect((await download(data.downloadUrl)).status).toBe(404)
    const later = await organization.client.get(`/exports/${id}`)
    expect((await download(later.data.downloadUrl)).status).toBe(200)
    clock.advance(6 * day)
    const expired = await organization.client.get(`/exports/${id}`)
    expect(expired.data).toMatchObject({ status: 'expired', rowCount: 0, sizeBytes: data.sizeBytes })
    expect(expired.data.downloadUrl).toBeUndefined()
  })
})

describe('a download', () => {
  const entries = async () => {
    const { items } = await organization.client.get('/audit?action=export.downloaded')
    return items.map(({ resourceType, resourceId, applicationId, tokenId, addressClass }) => {
      return { resourceType, resourceId, applicationId, tokenId, addressClass }
    })
  }
  const get = (url: unknown, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${api.url}${new URL(String(url), api.url).pathname}`, { headers, method })

  it('leaves an audit entry with the export and the token of its link', async () => {
    const { id, data } = await exported({ type: 'deals' })
    const other = await organization.token(scopes)
    const { downloadUrl } = (await other.get(`/exports/${id}`)).data
    await get(data.downloadUrl, {}, 'HEAD')
    const { headers } = await get(`${data.downloadUrl}x`)
    expect([await entries(), headers.get('etag')]).toEqual([[], null])

    expect((await download(data.downloadUrl)).status).toBe(200)
    const common = { resourceType: 'export', resourceId: id, applicationId: organization.applicationId }
    const first = { ...common, tokenId: tokenIdOf(organization.client), addressClass: 'loopback' }
    expect(await entries()).toEqual([first])
    expect((await download(downloadUrl)).status).toBe(200)
    expect(await entries()).toEqual([{ ...first, tokenId: tokenIdOf(other) }, first])
  })

  it('is one in an hour by one link, in however many parts', async () => {
    await created('/companies', aCompany())
    const { data } = await exported({ type: 'companies' })
    const part = async (range: string) => (await get(data.downloadUrl, { range })).status
    expect(await Promise.all(['bytes=0-9', 'bytes=10-19', 'bytes=20-'].map(part))).toEqual([206, 206, 206])
    expect(await part('bytes=1000000-')).toBe(416)
    expect(await entries()).toHaveLength(1)
    clock.advance(3_600_000)
    expect((await get(data.downloadUrl, { 'if-none-match': `"${data.sha256}"` })).status).toBe(304)
    expect(await entries()).toHaveLength(1)
    expect(await part('bytes=5-')).toBe(206)
    expect(await entries()).toHaveLength(2)
  })

  it('is refused where its entry cannot be written', async () => {
    const { data } = await exported({ type: 'deals' })
    await api.test.database.script('alter table audit_entries rename to audit_entries_away')
    const refused = await download(data.downloadUrl)
    await api.test.database.script('alter table audit_entries_away rename to audit_entries')
    expect([refused.status, refused.text.includes('uuid,externalId')]).toEqual([500, false])
    expect(api.failures.splice(0)).toHaveLength(1)
    expect((await download(data.downloadUrl)).status).toBe(200)
    expect(await entries()).toHaveLength(1)
  })
})

describe('a person who is erased', () => {
  it('takes away the files that may hold the person, and no others', async () => {
    const person = await created('/contacts', aContact())
    const company = await created('/companies', aCompany())
    await created('/deals', aDeal({ contacts: [{ id: person.id }], companies: [{ id: company.id }] }))
    const before: Awaited<ReturnType<typeof exported>>[] = []
    for (const type of ['contacts', 'company_contacts', 'deal_contacts', 'companies', 'deals'])
      before.push(await exported({ type }))
    clock.advance(1000)
    const young = await created('/contacts', aContact())
    const statuses = async () => {
      const found = await Promise.all(before.map(({ id }) => organization.client.get(`/exports/${id}`)))
      return found.map(({ data }) => data.status)
    }
    await organization.client.delete(`/contacts/${young.id}?expectedVersion=1&mode=full`)
    expect(await statuses()).toEqual(before.map(() => 'completed'))
    await organization.client.delete(`/contacts/${person.id}?expectedVersion=1`)
    expect(await statuses()).toEqual(['expired', 'expired', 'expired', 'completed', 'completed'])
    expect((await download(before[0]?.data.downloadUrl)).status).toBe(404)
    expect((await download(before[4]?.data.downloadUrl)).status).toBe(200)
  })
})

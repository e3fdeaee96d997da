import { describe, expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, type Kind, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()

type State = 'live' | 'anonymized' | 'tombstone' | 'never mapped'

/** A key in one of the states of the table in contract section 4, and the id of its record. */
async function aKey(kind: Kind, state: State, organization: TestOrganization): Promise<{ key: string; id: unknown }> {
  const { client } = organization
  const body = await aBody(kind, organization)
  const key = String(body.externalId)
  if (state === 'never mapped') return { key, id: null }
  const { data } = await client.post(`/${plurals[kind]}`, body)
  if (state === 'anonymized') await client.delete(`/contacts/${data.id}?expectedVersion=1`)
  if (state === 'tombstone') {
    const mode = kind === 'contact' ? '&mode=full' : ''
    const { status } =
      kind === 'company'
        ? await client.post(`/companies/${data.id}/delete/commit`, { expectedVersion: 1 })
        : await client.delete(`/${plurals[kind]}/${data.id}?expectedVersion=1${mode}`)
    expect(status).toBe(200)
  }
  return { key, id: data.id }
}

const outcomeOfState: Readonly<Record<State, string>> = {
  live: 'live',
  anonymized: '410 resource_deleted',
  tombstone: '410 external_reference_deleted',
  'never mapped': 'unknown',
}

const table = [
  ['contact', 'live'],
  ['contact', 'anonymized'],
  ['contact', 'tombstone'],
  ['contact', 'never mapped'],
  ['company', 'live'],
  ['company', 'tombstone'],
  ['company', 'never mapped'],
  ['deal', 'live'],
  ['deal', 'tombstone'],
  ['deal', 'never mapped'],
  ['task', 'live'],
  ['task', 'tombstone'],
  ['task', 'never mapped'],
] as const

/** The table's answer for a gone key, else what this use says of a live or an unknown one. */
const expected = (state: State, uses: { live: string; unknown: string }) =>
  state === 'live' ? uses.live : state === 'never mapped' ? uses.unknown : outcomeOfState[state]

describe.each(table)('the key of a %s that is %s', (kind, state) => {
  const path = `/${plurals[kind]}`

  it('as list filter', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const answer = await organization.client.get(`${path}?externalId=${encodeURIComponent(key)}`)
    expect(outcome(answer)).toBe(expected(state, { live: '200', unknown: '200' }))
    if (answer.status === 200) {
      expect(answer.items.map(item => item.id)).toEqual(state === 'live' ? [id] : [])
      expect(answer.meta).toEqual({ nextCursor: null })
    } else expect(answer.details).toEqual({ kind })
  })

  it('on create', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const answer = await organization.client.post(path, await aBody(kind, organization, { externalId: key }))
    expect(outcome(answer)).toBe(expected(state, { live: '409 external_id_conflict', unknown: '201' }))
    if (state === 'live') expect(answer.details).toEqual({ existingId: id, currentVersion: 1 })
  })

  it('set by PATCH of another record', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const other = await aRecord(kind, organization)
    const answer = await organization.client.patch(`${path}/${other.id}`, { expectedVersion: 1, externalId: key })
    expect(outcome(answer)).toBe(expected(state, { live: '409 external_id_conflict', unknown: '200' }))
    if (state === 'live') expect(answer.details).toEqual({ existingId: id, currentVersion: 1 })
    if (state === 'never mapped') expect([answer.data.externalId, answer.data.version]).toEqual([key, 2])
  })

  it('on upsert without expected version', async () => {
    const organization = await given.shared()
    const { key } = await aKey(kind, state, organization)
    const body = await aBody(kind, organization, { externalId: key })
    const answer = await organization.client.post(`${path}/upsert`, body)
    expect(outcome(answer)).toBe(expected(state, { live: '428 precondition_required', unknown: '201' }))
    if (state === 'never mapped') expect(answer.meta).toEqual({ created: true })
  })

  it('on upsert with expected version', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const body = { externalId: key, expectedVersion: 1, description: 'upserted' }
    const answer = await organization.client.post(`${path}/upsert`, body)
    expect(outcome(answer)).toBe(expected(state, { live: '200', unknown: '409 version_conflict' }))
    if (state === 'live') {
      expect(answer.data).toMatchObject({ id, version: 2, description: 'upserted' })
      expect(answer.meta).toEqual({ created: false })
    }
    if (state === 'never mapped') expect(answer.details).toEqual({ currentVersion: null })
  })
})

describe.each(table.filter(([kind]) => kind !== 'company'))('the key of a %s that is %s', (kind, state) => {
  it('in a batch get', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const { client } = organization
    const [element] = (await client.post(`/${plurals[kind]}/batch/get`, { items: [{ externalId: key }] })).items
    const { code } = objectOf(element?.error)
    const found = code === undefined ? String(element?.status) : `${element?.status} ${code}`
    expect(found).toBe(expected(state, { live: '200', unknown: '404 not_found' }))
    if (state === 'live') expect(objectOf(element?.data).id).toBe(id)
  })

  it('in a batch upsert', async () => {
    const organization = await given.shared()
    const { key } = await aKey(kind, state, organization)
    const items = [await aBody(kind, organization, { externalId: key })]
    const [element] = (await organization.client.post(`/${plurals[kind]}/batch/upsert`, { items })).items
    const { code } = objectOf(element?.error)
    const found = code === undefined ? String(element?.status) : `${element?.status} ${code}`
    expect(found).toBe(expected(state, { live: '428 precondition_required', unknown: '201' }))
  })
})

const parties = ['contact', 'company']

describe.each(table.filter(([kind]) => parties.includes(kind)))('the key of a %s that is %s', (kind, state) => {
  it('as reference of a deal', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const field = plurals[kind]
    const body = await aBody('deal', organization, { [field]: [{ externalId: key }] })
    const answer = await organization.client.post('/deals', body)
    expect(outcome(answer)).toBe(expected(state, { live: '201', unknown: '404 not_found' }))
    if (state === 'live') expect(answer.data[kind === 'contact' ? 'contactIds' : 'companyIds']).toEqual([id])
    else expect(answer.details.path).toBe(`/${field}/0`)
  })
})

describe.each(table.filter(([kind]) => kind !== 'task'))('the key of a %s that is %s', (kind, state) => {
  it('as reference of a task', async () => {
    const organization = await given.shared()
    const { key, id } = await aKey(kind, state, organization)
    const answer = await organization.client.post('/tasks', { title: 'Call', [kind]: { externalId: key } })
    expect(outcome(answer)).toBe(expected(state, { live: '201', unknown: '404 not_found' }))
    if (state === 'live') expect(answer.data[`${kind}Id`]).toBe(id)
    else expect(answer.details.path).toBe(`/${kind}`)
  })
})

describe.each(kinds)('externalId of a %s', kind => {
  const path = `/${plurals[kind]}`

  it('cleared by PATCH is free again, without a tombstone', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const cleared = await organization.client.patch(`${path}/${id}`, { expectedVersion: 1, externalId: null })
    expect([cleared.status, cleared.data.externalId, cleared.data.version]).toEqual([200, null, 2])
    const again = await aRecord(kind, organization, { externalId })
    expect(again.id).not.toBe(id)
  })

  it('changed by PATCH frees the old key and takes the new one', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id, externalId } = await aRecord(kind, organization)
    await client.patch(`${path}/${id}`, { expectedVersion: 1, externalId: `${externalId}-new` })
    expect((await client.get(`${path}?externalId=${externalId}`)).items).toEqual([])
    expect((await client.get(`${path}?externalId=${externalId}-new`)).items.map(item => item.id)).toEqual([id])
  })

  it('set by PATCH to its own value changes nothing', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const { status, data } = await organization.client.patch(`${path}/${id}`, { expectedVersion: 1, externalId })
    expect([status, data.version]).toEqual([200, 1])
  })

  it('null or absent is refused on upsert', async () => {
    const organization = await given.shared()
    const { externalId: _, ...body } = await aBody(kind, organization)
    for (const wrong of [body, { ...body, externalId: null }]) {
      const answer = await organization.client.post(`${path}/upsert`, wrong)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/externalId']])
    }
  })
})

/** The form is declared once for every kind. */
describe('externalId', () => {
  const kind = 'contact'
  const path = '/contacts'

  it.each([
    ['of 200 code points, of two UTF-16 units each', '𝒳'.repeat(200)],
    ['in another case', 'Straße ÄÖ'],
    ['with inner spaces', 'a  b'],
    ['not normalised', 'e\u0301'],
    ['with characters that URLs reserve', 'a/b?c=d&e#f%20+'],
    ['that looks like a name of objects', '__proto__'],
  ])('%s is kept byte for byte', async (_, externalId) => {
    const organization = await given.organization()
    const created = await aRecord(kind, organization, { externalId })
    expect(created.externalId).toBe(externalId)
    const found = await organization.client.get(`${path}?externalId=${encodeURIComponent(externalId)}`)
    expect(found.items.map(({ id }) => id)).toEqual([created.id])
    for (const other of [externalId.toLowerCase(), externalId.normalize('NFC')]) {
      if (other === externalId) continue
      expect((await organization.client.get(`${path}?externalId=${encodeURIComponent(other)}`)).items).toEqual([])
    }
  })

  it.each([
    ['empty', ''],
    ['with a leading space', ' a'],
    ['with a trailing space', 'a '],
    ['with a line break', 'a\nb'],
    ['with a control character', 'a\u0085b'],
    ['of 201 code points', '𝒳'.repeat(201)],
    ['that is a number', 42],
  ])('%s is refused everywhere', async (_, externalId) => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord(kind, organization)
    const answers = [
      await client.post(path, await aBody(kind, organization, { externalId })),
      await client.patch(`${path}/${id}`, { expectedVersion: 1, externalId }),
      await client.post(`${path}/upsert`, await aBody(kind, organization, { externalId })),
    ]
    for (const answer of answers) {
      expect(outcome(answer)).toBe('400 validation_error')
      expect(new Set(issuePaths(answer))).toEqual(new Set(['/externalId']))
    }
    if (typeof externalId === 'string') {
      const filtered = await client.get(`${path}?externalId=${encodeURIComponent(externalId)}`)
      expect([outcome(filtered), issuePaths(filtered)]).toEqual(['400 validation_error', ['query:externalId']])
    }
  })

  it('may be left out', async () => {
    const organization = await given.shared()
    expect((await aRecord(kind, organization, { externalId: null })).externalId).toBeNull()
    const { externalId: _, ...body } = await aBody(kind, organization)
    expect((await organization.client.post(path, body)).data.externalId).toBeNull()
  })
})

describe('a reference', () => {
  it.each([
    ['without a key', {}],
    ['with both keys', { id: '0197e2a4-0000-7000-8000-000000000000', externalId: 'a' }],
    ['with another key', { id: '0197e2a4-0000-7000-8000-000000000000', kind: 'company' }],
    ['with a malformed id', { id: 'nonsense' }],
    ['with an empty key', { externalId: '' }],
    ['with a null key', { externalId: null }],
    ['that is a text', '0197e2a4-0000-7000-8000-000000000000'],
  ])('%s is refused', async (_, reference) => {
    const organization = await given.shared()
    const body = await aBody('deal', organization, { companies: [reference] })
    const answer = await organization.client.post('/deals', body)
    expect(outcome(answer)).toBe('400 validation_error')
    expect(String(issuePaths(answer)[0])).toMatch(/^\/companies\/0/u)
  })
})

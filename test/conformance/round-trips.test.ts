import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { customFieldTypes, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { aCompany, aContact, aDeal } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { Random, seedOf } from '../support/random.ts'
import { awkwardRecord, configureAlike } from './support/awkward-records.ts'
import { download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { expectStatus, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()
const random = new Random(seedOf('ROUND_TRIP_SEED'))
const records = 60

/** The file of an export with everything of a type. */
async function exported(client: Client, type: string): Promise<string> {
  const { id } = expectStatus(await client.post('/exports', { type }), 202)
  await runJobs(given.api)
  const { downloadUrl } = (await client.get(`/exports/${id}`)).data
  return (await download(downloadUrl)).bytes.toString()
}

/** Imports a file whose columns have the names of fields. Every row has to be taken. */
async function imported(client: Client, entityType: string, file: string): Promise<JsonObject> {
  const [header = []]: string[][] = parse(file, { to: 1 })
  const mapping = Object.fromEntries(header.map(key => [key, key]))
  const done = await importFile(given.api, client, file, { entityType, mapping })
  expect([done.status, done.errors]).toEqual(['completed', []])
  return done
}

/** A file without the ids of its records, which are new in another organization. */
const withoutIds = (file: string) => file.replaceAll(/(?<=\r\n)[0-9a-f-]{36},/gu, ',')

describe.each(['contacts', 'companies'] as const)('an export of %s', type => {
  it('that is imported into a new organization, and exported there, is the same file', async () => {
    const [from, to] = [await given.organization(), await given.organization()]
    const kind = type === 'contacts' ? 'contact' : 'company'
    const tags = await configureAlike(given, from, to, kind)
    for (let index = 0; index < records; index += 1) {
      const { body, tagIds } = awkwardRecord(kind, random, { operator: from.operator, tags, isFull: index === 0 })
      const { id } = expectStatus(await from.client.post(`/${type}`, body), 201)
      const put = { expectedVersion: 1, tags: tagIds.map(tagId => ({ id: tagId })) }
      if (tagIds.length > 0) expectStatus(await from.client.put(`/${type}/${id}/tags`, put), 200)
    }
    const file = await exported(from.client, type)
    const [full = {}]: Record<string, string>[] = parse(file, { columns: true, to: 1 })
    expect(Object.keys(full).filter(key => full[key] === '')).toEqual([])
    expect(Object.keys(full)).toEqual(expect.arrayContaining(customFieldTypes.map(each => `custom.${each}`)))

    const done = await imported(to.client, type, file)
    expect(done.counters).toMatchObject({ total: records, created: records, failed: 0 })
    const again = await exported(to.client, type)
    expect(again).not.toBe(file)
    expect(withoutIds(again).split('\r\n')).toEqual(withoutIds(file).split('\r\n'))
  })
})

describe('an export of links', () => {
  const ids = (created: readonly JsonObject[]) => created.map(({ id }) => ({ id }))

  /** Takes all links away, imports the file, and expects the same file again. */
  async function expectSame(client: Client, type: string, removeLinks: () => Promise<void>) {
    const file = await exported(client, type)
    await removeLinks()
    expect((await exported(client, type)).split('\r\n')).toHaveLength(2)
    const { counters } = await imported(client, type, file)
    expect(counters).toMatchObject({ created: file.trimEnd().split('\r\n').length - 1 })
    expect(await exported(client, type)).toBe(file)
  }

  const some = async (organization: TestOrganization, kind: 'contact' | 'company', count: number) => {
    const made: JsonObject[] = []
    for (let index = 0; index < count; index += 1) made.push(await aRecord(kind, organization))
    return made
  }

  it('of companies to contacts makes the same links again, in their order', async () => {
    const organization = await given.organization()
    const { client } = organization
    const contacts = await some(organization, 'contact', 9)
    const companies = await some(organization, 'company', 5)
    const roles = ['Buyer', null, '=1+1', '"head", of\tsales', 'Закупки 😀', '-5', '+7 912', "it's", null]
    for (const company of companies) {
      const linked = random.shuffled(contacts).slice(0, random.between(1, 9))
      const said = linked.map(({ id }) => ({ id, role: random.pick(roles) }))
      const path = `/companies/${company.id}/contacts`
      expectStatus(await client.put(path, { expectedVersion: 1, contacts: said }), 200)
    }
    await expectSame(client, 'company_contacts', async () => {
      for (const { id } of companies)
        expectStatus(await client.put(`/companies/${id}/contacts`, { expectedVersion: 2, contacts: [] }), 200)
    })
  })

  it.each([
    ['deal_contacts', 'contacts'],
    ['deal_companies', 'companies'],
  ])('of the type %s makes the same links again, in their order', async (type, member) => {
    const organization = await given.organization()
    const { client } = organization
    const parties = {
      contacts: await some(organization, 'contact', 8),
      companies: await some(organization, 'company', 8),
    }
    const deals: JsonObject[] = []
    for (let index = 0; index < 6; index += 1) {
      const linked = Object.fromEntries(
        Object.entries(parties).map(([name, all]) => [name, ids(random.shuffled(all).slice(0, random.between(1, 8)))]),
      )
      deals.push(expectStatus(await client.post('/deals', aDeal(linked)), 201))
    }
    await expectSame(client, type, async () => {
      for (const { id } of deals)
        expectStatus(await client.patch(`/deals/${id}`, { expectedVersion: 1, [member]: [] }), 200)
    })
  })

  it('without links is a header alone', async () => {
    const { client } = await given.organization()
    expectStatus(await client.post('/contacts', aContact()), 201)
    expectStatus(await client.post('/companies', aCompany()), 201)
    expect(await exported(client, 'company_contacts')).toBe('companyUuid,contactUuid,role,isPrimary\r\n')
  })
})

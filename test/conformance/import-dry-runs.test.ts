import { array, assert, asyncProperty, constantFrom, record } from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { csv, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

/** Imports of each kind; DRY_RUNS=50 makes more. */
const numRuns = Number(process.env.DRY_RUNS ?? 5)

const name = constantFrom('Petrova', 'petrova', 'Orlov', '')
const reach = {
  key: constantFrom('a', 'b', 'c', ''),
  mail: constantFrom('x@example.com', 'y@example.com', 'X@Example.com', 'wrong', ''),
  phone: constantFrom('+12025550143', '(202) 555-0143', '7.9E+10', ''),
  tags: constantFrom('Regular', 'Unknown', '', ''),
}
const persons = record({
  ...reach,
  last: name,
  first: constantFrom('Anna', 'Igor', ''),
  company: constantFrom('Nordwind', 'Unknown', '', ''),
  owner: constantFrom('olga@example.com', '', ''),
  phone2: constantFrom('+12025550144', '', ''),
})
const companies = record({ ...reach, name, taxId: constantFrom('77', '78', ''), staff: constantFrom('5', 'many', '') })
const links = record({
  company: constantFrom('a', 'b', 'z'),
  contact: constantFrom('p', 'q'),
  role: constantFrom('Buyer', ''),
})

const kinds = {
  contacts: {
    rows: persons,
    mapping: {
      externalId: 'key',
      firstName: 'first',
      lastName: 'last',
      email1: 'mail',
      phone1: 'phone',
      phone2: 'phone2',
      tags: 'tags',
      companyName: 'company',
      ownerEmail: 'owner',
    },
    matchBy: constantFrom(['externalId'], ['email', 'phone'], ['externalId', 'name', 'email'], ['phone', 'name']),
  },
  companies: {
    rows: companies,
    mapping: {
      externalId: 'key',
      name: 'name',
      email1: 'mail',
      phone1: 'phone',
      tags: 'tags',
      taxId: 'taxId',
      employeesCount: 'staff',
    },
    matchBy: constantFrom(['externalId'], ['taxId', 'name'], ['phone', 'externalId'], ['name', 'email']),
  },
  company_contacts: {
    rows: links,
    mapping: { companyExternalId: 'company', contactExternalId: 'contact', role: 'role' },
    matchBy: constantFrom(['externalId']),
  },
}

/** What an import tells that does not depend on when it ran. */
const told = ({ status, counters, errors }: JsonObject) => ({ status, counters, errors })

it.each(['contacts', 'companies', 'company_contacts'] as const)(
  'a dry run of %s changes nothing, and reports the result of the later run',
  async entityType => {
    const { mapping, matchBy, ...kind } = kinds[entityType]
    const rows = array<Record<string, string>>(kind.rows, { minLength: 1, maxLength: 12 })
    const policies = record({
      strategy: constantFrom('create_only', 'update_only', 'create_or_update', 'skip_existing'),
      matchBy,
      onConflict: constantFrom('overwrite', 'fill_empty'),
    })
    await assert(
      asyncProperty(rows, rows, policies, async (before, after, dedupPolicy) => {
        const organization = await given.organization()
        const { client } = organization
        await aRecord('company', organization, { name: 'Nordwind', externalId: 'a' })
        await aRecord('company', organization, { name: 'Other', externalId: 'b' })
        for (const externalId of ['p', 'q']) await aRecord('contact', organization, { externalId, contactData: {} })
        const table = (list: readonly Record<string, string>[]) => {
          const header = Object.keys(list[0] ?? {})
          return csv(header, ...list.map(row => header.map(column => row[column])))
        }
        const common = { entityType, mapping, defaults: entityType === 'contacts' ? { source: 'Fair' } : {} }
        await importFile(given.api, client, table(before), common)
        const { cursor } = (await client.get('/changes/cursor')).data
        const rehearsed = await importFile(given.api, client, table(after), { ...common, dedupPolicy, dryRun: true })
        expect((await client.get(`/changes?after=${cursor}`)).items).toEqual([])
        const done = await importFile(given.api, client, table(after), { ...common, dedupPolicy })
        expect(told(rehearsed)).toEqual(told(done))
        // What is told is what was done.
        const { items } = await client.get(`/changes?after=${cursor}&limit=100`)
        const own = items.filter(({ kind: event }) =>
          String(event).startsWith(entityType === 'contacts' ? 'contact.' : 'company.'),
        )
        const counted = objectOf(done.counters)
        const steps = Number(counted.created) + Number(counted.updated)
        // A row that only links a contact to its company changes the company alone.
        if (entityType === 'contacts') expect(own.length).toBeLessThanOrEqual(steps)
        else expect(own).toHaveLength(steps)
        if (entityType !== 'company_contacts')
          expect(own.filter(({ operation }) => operation === 'created')).toHaveLength(Number(counted.created))
      }),
      { numRuns },
    )
  },
  120_000,
)

it('a dry run over several chunks finds the records that it would have made', async () => {
  const { client } = await given.organization()
  const list = Array.from({ length: 450 }, (_, index) => [`k${index % 150}`, `Anna ${index % 7}`])
  const common = {
    mapping: { externalId: 0, firstName: 1 },
    dedupPolicy: { strategy: 'create_or_update', onConflict: 'overwrite' },
  }
  const rehearsed = await importFile(given.api, client, csv(['k', 'f'], ...list), { ...common, dryRun: true })
  const done = await importFile(given.api, client, csv(['k', 'f'], ...list), common)
  expect(told(rehearsed)).toEqual(told(done))
  expect(done.counters).toMatchObject({ created: 150 })
})

it('links of a dry run take their places too', async () => {
  const organization = await given.organization()
  const { client } = organization
  const [one, two, three] = [
    await aRecord('contact', organization, { externalId: 'p1' }),
    await aRecord('contact', organization, { externalId: 'p2' }),
    await aRecord('contact', organization, { externalId: 'p3' }),
  ]
  await aRecord('company', organization, { externalId: 'c' })
  const filler = Array.from({ length: 120 }, () => ['c', one.externalId, ''])
  const rows = [
    ['c', two.externalId, ''],
    ...filler,
    ['c', three.externalId, 'yes'],
    ...filler,
    ['c', two.externalId, 'yes'],
  ]
  const common = {
    entityType: 'company_contacts',
    mapping: { companyExternalId: 0, contactExternalId: 1, isPrimary: 2 },
  }
  const rehearsed = await importFile(given.api, client, csv(['c', 'p', 'm'], ...rows), { ...common, dryRun: true })
  const done = await importFile(given.api, client, csv(['c', 'p', 'm'], ...rows), common)
  expect(told(rehearsed)).toEqual(told(done))
  expect(done.counters).toMatchObject({ created: 3, unchanged: 239, failed: 1 })
})

it('a dry run knows that a key is free again that a row of an earlier chunk has replaced', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aRecord('contact', organization, { externalId: 'old' })
  const filler = Array.from({ length: 120 }, (_, index) => [`k${index}`, `Anna ${index}`, ''])
  const rows = [['new', 'Olga', id], ...filler, ['old', 'Igor', '']]
  const common = {
    mapping: { externalId: 0, firstName: 1, uuid: 2 },
    dedupPolicy: { strategy: 'create_or_update', matchBy: ['uuid', 'externalId'], onConflict: 'overwrite' },
  }
  const rehearsed = await importFile(given.api, client, csv(['k', 'n', 'u'], ...rows), { ...common, dryRun: true })
  const done = await importFile(given.api, client, csv(['k', 'n', 'u'], ...rows), common)
  expect(told(rehearsed)).toEqual(told(done))
  expect(done.counters).toMatchObject({ created: 121, updated: 1 })
})

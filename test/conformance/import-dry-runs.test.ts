import { array, assert, asyncProperty, constantFrom, record } from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { useApi } from './support/given.ts'
import { csv, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

const keys = ['a', 'b', 'c', '']
const mails = ['x@example.com', 'y@example.com', 'X@Example.com', 'wrong', '']
const phones = ['+12025550143', '(202) 555-0143', '7.9E+10', '']
const rows = array(
  record({
    key: constantFrom(...keys),
    first: constantFrom('Anna', 'Igor', ''),
    last: constantFrom('Petrova', 'petrova', ''),
    mail: constantFrom(...mails),
    phone: constantFrom(...phones),
    company: constantFrom('Nordwind', 'Unknown', '', ''),
  }),
  { minLength: 1, maxLength: 12 },
)
const policies = record({
  strategy: constantFrom('create_only', 'update_only', 'create_or_update', 'skip_existing'),
  matchBy: constantFrom(['externalId'], ['email', 'phone'], ['externalId', 'name', 'email'], ['phone', 'name']),
  onConflict: constantFrom('overwrite', 'fill_empty'),
})

/** What an import tells that does not depend on when it ran. */
const told = ({ status, counters, errors }: JsonObject) => ({ status, counters, errors })

it('a dry run tells what the run then does, and changes nothing', async () => {
  const mapping = { externalId: 0, firstName: 1, lastName: 2, email1: 3, phone1: 4, companyName: 5 }
  await assert(
    asyncProperty(rows, rows, policies, async (before, after, dedupPolicy) => {
      const organization = await given.organization()
      const { client } = organization
      await aRecord('company', organization, { name: 'Nordwind' })
      const table = (list: typeof before) =>
        csv(
          ['k', 'f', 'l', 'm', 'p', 'c'],
          ...list.map(row => [row.key, row.first, row.last, row.mail, row.phone, row.company]),
        )
      await importFile(given.api, client, table(before), { mapping })
      const { cursor } = (await client.get('/changes/cursor')).data
      const rehearsed = await importFile(given.api, client, table(after), { mapping, dedupPolicy, dryRun: true })
      expect((await client.get(`/changes?after=${cursor}`)).items).toEqual([])
      const done = await importFile(given.api, client, table(after), { mapping, dedupPolicy })
      expect(told(rehearsed)).toEqual(told(done))
    }),
    { numRuns: 12 },
  )
}, 120_000)

it('a dry run over several chunks finds what it would have made before', async () => {
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

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany, aContact } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { anOrganization } from '../support/organization.ts'

describe('the contacts of companies', () => {
  let api: TestApi
  let client: Client
  let contacts: { id: string; externalId: string }[]
  beforeAll(async () => {
    api = await startApi()
    client = (await anOrganization(api)).client
    const answer = await client.post('/contacts/batch/upsert', { items: Array.from({ length: 20 }, () => aContact()) })
    expect(answer.meta.created).toBe(20)
    contacts = (await client.get('/contacts')).items.map(({ id, externalId }) => ({
      id: String(id),
      externalId: String(externalId),
    }))
  })
  afterAll(() => api.close())

  const newCompany = async () => `/companies/${(await client.post('/companies', aCompany())).data.id}`
  const linked = async (path: string) => (await client.get(`${path}/contacts`)).items.map(({ contactId }) => contactId)

  it('are those of one of twenty clients that replace them at one version; the others get the current version', async () => {
    const path = await newCompany()
    const sets = contacts.map((_, first) => [...contacts.slice(first), ...contacts.slice(0, first)])
    const answers = await Promise.all(
      sets.map(set => client.put(`${path}/contacts`, { expectedVersion: 1, contacts: set.map(({ id }) => ({ id })) })),
    )
    const won = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    expect(won).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused.map(({ details }) => details)).toEqual(Array.from({ length: 19 }, () => ({ currentVersion: 2 })))
    expect(await linked(path)).toEqual(sets[won[0] ?? -1]?.map(({ id }) => id))
    expect((await client.get(path)).data.version).toBe(2)
  })

  it('do not block each other when companies name the same contacts in opposite orders', async () => {
    const paths = await Promise.all(Array.from({ length: 10 }, newCompany))
    const set = contacts.map(({ id }) => ({ id }))
    const answers = await Promise.all(
      paths.map((path, index) =>
        client.put(`${path}/contacts`, { expectedVersion: 1, contacts: index % 2 === 0 ? set : set.toReversed() }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  })

  it('never name an anonymized contact that was not linked before, whichever of link and erasure comes first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = await newCompany()
      const { data: contact } = await client.post('/contacts', aContact())
      const [put] = await Promise.all([
        client.put(`${path}/contacts`, { expectedVersion: 1, contacts: [{ id: contact.id }] }),
        client.delete(`/contacts/${contact.id}?expectedVersion=1`),
      ])
      expect([200, 410]).toContain(put.status)
      const { items } = await client.get(`${path}/contacts`)
      expect(items.map(({ anonymized }) => anonymized)).toEqual(put.status === 200 ? [true] : [])
    }
  })

  const element = fc.record({
    contact: fc.nat({ max: 5 }),
    byKey: fc.boolean(),
    role: fc.option(fc.constantFrom('CFO', 'Buyer')),
  })
  const attempt = fc.record({ stale: fc.boolean(), links: fc.array(element, { maxLength: 6 }) })

  it('are exactly the last accepted set after any sequence of replacements', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 8 }), async attempts => {
        const path = await newCompany()
        let expected: { contactId: string | undefined; role: string | null }[] = []
        let version = 1
        for (const { stale, links } of attempts) {
          const next = links.map(({ contact, role }) => ({ contactId: contacts[contact]?.id, role }))
          const body = links.map(({ contact, byKey, role }) => {
            const { id, externalId } = contacts[contact] ?? {}
            return { ...(byKey ? { externalId } : { id }), role }
          })
          const answer = await client.put(`${path}/contacts`, {
            expectedVersion: stale ? version + 1 : version,
            contacts: body,
          })
          const literals = new Set(links.map(({ contact, byKey }) => `${contact} ${byKey}`))
          const doubled = new Set(links.map(({ contact }) => contact)).size < links.length
          if (literals.size < links.length) expect(answer.status).toBe(400)
          else if (stale) expect(answer.status).toBe(409)
          else if (doubled) expect(answer.status).toBe(422)
          else {
            if (JSON.stringify(next) !== JSON.stringify(expected)) version += 1
            expected = next
            expect([answer.status, answer.meta]).toEqual([200, { version }])
          }
          const { items } = await client.get(`${path}/contacts`)
          expect(items).toEqual(
            expected.map((link, position) => ({ ...link, position, isPrimary: position === 0, anonymized: false })),
          )
        }
        expect((await client.get(path)).data.version).toBe(version)
      }),
      { numRuns: 20 },
    )
  })

  it('had no failure inside in all of this', () => {
    expect(api.failures).toEqual([])
  })
})

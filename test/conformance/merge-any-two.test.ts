import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { commitMerge, fieldOf, type MergedKind, mergedKinds, previewMerge, resolveAll } from './support/merges.ts'
import { aRecord, plurals } from './support/requests.ts'
import { aTag } from './support/tags.ts'

const given = useApi({ connections: 12 })

/** Whom a link leads to: the primary, the secondary, or one of two others. */
const party = fc.constantFrom('primary', 'secondary', 'third', 'fourth')
const parties = fc.uniqueArray(party, { minLength: 1, maxLength: 4 })
const text = fc.option(fc.constantFrom('fair', 'web', 'post'))
const phones = fc.uniqueArray(fc.constantFrom('+12025550101', '+12025550102', '+12025550103'), { maxLength: 3 })
const record = fc.record({
  source: text,
  description: text,
  phones,
  tags: fc.subarray([0, 1, 2]),
  hasKey: fc.boolean(),
  hasOtherKey: fc.boolean(),
})

const world = fc.record({
  primary: record,
  secondary: record,
  deals: fc.array(parties, { maxLength: 4 }),
  tasks: fc.array(party, { maxLength: 3 }),
  /** Parts of one deal beside the others; only contacts take part. */
  activities: fc.array(party, { maxLength: 3 }),
  /** Contacts of each company, or companies of each contact. */
  linked: fc.array(parties, { maxLength: 3 }),
  side: fc.constantFrom('primary' as const, 'secondary' as const),
})
type World = typeof world extends fc.Arbitrary<infer W> ? W : never
type Party = World['tasks'][number]
type People = Readonly<Record<Party, JsonObject>>

/** Where an id may stand after its record is gone: in what happened, and in what became of it. */
const histories = new Set([
  ...['audit_entries', 'changes', 'change_keys', 'deal_events', 'external_keys'],
  ...['idempotency_answers', 'merged_records'],
])

async function holdersOf({ id: organizationId }: TestOrganization, id: unknown): Promise<unknown[]> {
  const tables = await given.sql(
    `select quote_ident(c.relname) as name from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  const rows = await Promise.all(
    tables
      .map(({ name }) => String(name))
      .filter(name => !histories.has(name))
      .map(name =>
        given.sql(
          `select '${name}' as name from ${name} t where t.organization_id = $1 and to_jsonb(t)::text like $2`,
          [organizationId, `%${id}%`],
        ),
      ),
  )
  return rows.flat().map(({ name }) => name)
}

async function people(kind: MergedKind, organization: TestOrganization, drawn: World): Promise<People> {
  const tagIds = await Promise.all([0, 1, 2].map(() => aTag(given, organization)))
  const make = async ({ source, description, phones: values, ...more }: World['primary'], n: number) => {
    const contactData = { phones: values.map(value => ({ value })) }
    const externalId = more.hasKey ? `key-${n}` : null
    const made = await aRecord(kind, organization, { source, description, contactData, externalId })
    const path = `/${plurals[kind]}/${made.id}`
    const tags = more.tags.map(index => ({ id: tagIds[index] }))
    const { meta } = await organization.client.put(`${path}/tags`, { expectedVersion: 1, tags })
    if (more.hasOtherKey) {
      const { client } = await otherOf(organization)
      await client.patch(path, { expectedVersion: meta.version, externalId: `their-${n}` })
    }
    return (await organization.client.get(path)).data
  }
  const [primary, secondary] = [await make(drawn.primary, 1), await make(drawn.secondary, 2)]
  const [third, fourth] = [await aRecord(kind, organization), await aRecord(kind, organization)]
  return { primary, secondary, third, fourth }
}

const others = new WeakMap<TestOrganization, ReturnType<TestOrganization['application']>>()
function otherOf(organization: TestOrganization) {
  const known = others.get(organization) ?? organization.application()
  others.set(organization, known)
  return known
}

/** What is linked to the two records: deals with activities, tasks, and companies with their contacts. */
async function links(kind: MergedKind, organization: TestOrganization, drawn: World, by: People) {
  const { client } = organization
  const idsOf = (wanted: readonly Party[]) => wanted.map(name => ({ id: by[name].id }))
  const deals = await Promise.all(
    drawn.deals.map(wanted => aRecord('deal', organization, { [plurals[kind]]: idsOf(wanted) })),
  )
  const tasks = await Promise.all(
    drawn.tasks.map(wanted => aRecord('task', organization, { [kind]: { id: by[wanted].id } })),
  )
  const eventful = await aRecord('deal', organization)
  for (const name of kind === 'contact' ? drawn.activities : []) {
    const body = { type: 'note', subject: name, contact: { id: by[name].id } }
    await client.post(`/deals/${eventful.id}/activities`, body)
  }
  const companies: JsonObject[] = []
  for (const wanted of drawn.linked) {
    if (kind === 'contact') {
      const company = await aRecord('company', organization)
      companies.push(company)
      await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: idsOf(wanted) })
      continue
    }
    const contact = await aRecord('contact', organization)
    for (const name of wanted) {
      const path = `/companies/${by[name].id}`
      const { items } = await client.get(`${path}/contacts`)
      const contacts = [...items.map(({ contactId }) => ({ id: contactId })), { id: contact.id }]
      const { version } = (await client.get(path)).data
      await client.put(`${path}/contacts`, { expectedVersion: version, contacts })
    }
  }
  return { deals, tasks, companies, eventful }
}

/** Where a party leads after the merge; what was there twice is there once, at the earlier place. */
function afterMerge(wanted: readonly Party[], by: People): unknown[] {
  return [...new Set(wanted.map(name => by[name === 'secondary' ? 'primary' : name].id))]
}

describe.each(mergedKinds)('any two %s records', kind => {
  it('are merged as the preview says: nothing refers to the secondary, and no link is doubled', async () => {
    await fc.assert(
      fc.asyncProperty(world, async drawn => {
        const organization = await given.organization()
        const { client } = organization
        const by = await people(kind, organization, drawn)
        const { deals, tasks, companies, eventful } = await links(kind, organization, drawn, by)
        const pair = await Promise.all(
          [by.primary, by.secondary].map(async ({ id }) => (await client.get(`/${plurals[kind]}/${id}`)).data),
        )
        const told = await previewMerge(client, kind, pair)
        const answer = await commitMerge(client, kind, pair, {
          fieldResolutions: resolveAll(told, drawn.side),
          externalIdConflictResolution: 'keep_primary',
        })
        expect(answer.status).toBe(200)

        expect(await holdersOf(organization, by.secondary.id)).toEqual([])
        for (const [index, { id }] of deals.entries()) {
          const deal = (await client.get(`/deals/${id}`)).data
          expect(deal[`${kind}Ids`]).toEqual(afterMerge(drawn.deals[index] ?? [], by))
          const shown = Array.isArray(deal[plurals[kind]]) ? deal[plurals[kind]] : []
          expect(Array.isArray(shown) && shown.filter(link => objectOf(link).isPrimary === true)).toHaveLength(1)
        }
        for (const [index, { id }] of tasks.entries()) {
          const [expected] = afterMerge(drawn.tasks.slice(index, index + 1), by)
          expect((await client.get(`/tasks/${id}`)).data[`${kind}Id`]).toBe(expected)
        }
        for (const { subject, contactId } of (await client.get(`/deals/${eventful.id}/activities`)).items) {
          const [expected] = afterMerge(
            drawn.activities.filter(name => name === subject),
            by,
          )
          expect(contactId).toBe(expected)
        }
        for (const [index, { id }] of companies.entries()) {
          const { items } = await client.get(`/companies/${id}/contacts`)
          expect(items.map(({ contactId }) => contactId)).toEqual(afterMerge(drawn.linked[index] ?? [], by))
          expect(items.filter(({ isPrimary }) => isPrimary)).toHaveLength(1)
        }
        expectTold(told.data, answer.data, drawn.side)
        const again = await previewMerge(client, kind, [objectOf(answer.data.primary), by.third])
        expectCounts(told.data, again.data)
        const keys = fieldOf(told, 'source') === undefined ? [] : [answer.data.movedExternalId]
        expect(keys).toEqual([drawn.primary.hasKey || !drawn.secondary.hasKey ? null : 'key-2'])
      }),
      { numRuns: 6 },
    )
  }, 300_000)
})

/** Each field is what the preview said it would be. */
function expectTold(told: JsonObject, { primary }: JsonObject, side: 'primary' | 'secondary'): void {
  const merged = objectOf(primary)
  const fields = Array.isArray(told.fields) ? told.fields.filter(isObject) : []
  for (const { field, primaryValue, secondaryValue, outcome } of fields) {
    const [name = '', member] = String(field).split('.')
    const value = member === undefined ? merged[name] : (objectOf(merged[name])[member] ?? null)
    if (outcome === 'union') expect([field, lengthOf(value)]).toEqual([field, unionOf(primaryValue, secondaryValue)])
    else {
      const takes = outcome === 'secondary' || (outcome === 'conflict' && side === 'secondary')
      expect([field, value]).toEqual([field, takes ? secondaryValue : primaryValue])
    }
  }
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function unionOf(one: unknown, other: unknown): number {
  const values = [one, other]
    .flatMap(list => (Array.isArray(list) ? list : []))
    .map(item => objectOf(item).value ?? item)
  return new Set(values).size
}

/** What the preview said the primary would have is what a preview finds that it has. */
function expectCounts(told: JsonObject, now: JsonObject): void {
  for (const [name, link] of Object.entries(objectOf(told.links))) {
    expect([name, objectOf(objectOf(now.links)[name]).primary]).toEqual([name, objectOf(link).merged])
  }
}

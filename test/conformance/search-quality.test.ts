import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { Random } from '../support/random.ts'
import { useApi } from './support/given.ts'
import { makeQuestions, makeWorld, type Question } from './support/search-questions.ts'

const given = useApi({ ownDatabase: true })

/** Questions of each class; SEARCH_QUESTIONS=45 asks as many as each class has. */
const count = Number(process.env.SEARCH_QUESTIONS ?? 10)
const random = new Random(20_260_202)
const world = makeWorld(random)
const questions = makeQuestions(world, random, count)

let organization: TestOrganization
beforeAll(async () => {
  organization = await given.organization()
  const { people, firms, sales } = world
  const idsOfFirms = new Map<string, unknown>()
  for (const { key, name, industry } of firms) {
    const { status, data } = await organization.client.post('/companies', { externalId: key, name, industry })
    expect(status).toBe(201)
    idsOfFirms.set(key, data.id)
  }
  const idsOfPeople = await upsert(
    'contacts',
    people.map(({ key, firstName, lastName, jobTitle }) => ({ externalId: key, firstName, lastName, jobTitle })),
  )
  await upsert(
    'deals',
    sales.map(({ key, name, company }) => ({ externalId: key, title: name, companies: [{ externalId: company }] })),
  )
  for (const { key } of firms) {
    const contacts = people
      .filter(({ company }) => company === key)
      .map(person => ({ id: idsOfPeople.get(person.key) }))
    const path = `/companies/${idsOfFirms.get(key)}/contacts`
    expect((await organization.client.put(path, { expectedVersion: 1, contacts })).status).toBe(200)
  }
  // As a server does for tables that have grown.
  await given.api.test.database.script('analyze')
}, 120_000)

/** Makes the records, a hundred at a time, and gives their ids by key. */
async function upsert(plural: string, records: readonly JsonObject[]): Promise<Map<unknown, unknown>> {
  const ids = new Map<unknown, unknown>()
  for (let from = 0; from < records.length; from += 100) {
    const items = records.slice(from, from + 100)
    const answer = await organization.client.post(`/${plural}/batch/upsert`, { items })
    for (const [index, { data }] of answer.items.entries()) ids.set(items[index]?.externalId, Object(data).id)
  }
  return ids
}

/** The questions whose record is not among the first hits. */
async function missedOf(asked: readonly Question[], first: number): Promise<string[]> {
  const missed: string[] = []
  for (const { q, key } of asked) {
    const { status, items } = await organization.client.get(`/search?limit=5&q=${encodeURIComponent(q)}`)
    expect([q, status]).toEqual([q, 200])
    if (!items.slice(0, first).some(({ externalId }) => externalId === key))
      missed.push(`${q} (${key}): ${items.map(({ title }) => title).join(', ')}`)
  }
  return missed
}

describe('19 of 20 questions have their record in the first place with', () => {
  it.each(Object.entries(questions.first))(
    '%s',
    async (_, asked) => {
      expect(asked.length).toBe(count)
      const missed = await missedOf(asked, 1)
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(Math.max(1, asked.length * 0.05))
    },
    60_000,
  )
})

describe('9 of 10 questions have their record among the first five with', () => {
  it.each(Object.entries(questions.amongFive))(
    '%s',
    async (_, asked) => {
      expect(asked.length).toBe(count)
      const missed = await missedOf(asked, 5)
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(asked.length * 0.1)
    },
    60_000,
  )
})

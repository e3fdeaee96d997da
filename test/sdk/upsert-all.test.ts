import { describe, expect, test } from 'vitest'
import type { Crm } from '../../packages/sdk/src/index.ts'
import { aCuttingProxy, cutOneIn } from './support/cutting-proxy.ts'
import { useOrganizations } from './support/given.ts'
import { people } from './support/people.ts'

const given = useOrganizations()

/** All contacts, by their keys. */
async function stored(crm: Crm): Promise<Map<string, { version: number; description?: string | null }>> {
  const found = new Map()
  for await (const contact of crm.contacts.list({ limit: 100 })) {
    expect(found.has(contact.externalId)).toBe(false)
    found.set(contact.externalId, contact)
  }
  return found
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const gathered: Item[] = []
  for await (const item of items) gathered.push(item)
  return gathered
}

describe('a run through a connection that is often cut', () => {
  test('writes every row once, though the program ends in the middle and starts again', async () => {
    const rows = [...people(950)]
    const proxy = await aCuttingProxy(given.api.url, cutOneIn(3))
    let seen = 0
    for await (const { error } of given.crm({ url: proxy.url }).contacts.upsertAll(rows, { run: 'erp-1' })) {
      expect(error).toBeUndefined()
      seen += 1
      if (seen === 350) break
    }

    const results = await all(given.crm({ url: proxy.url }).contacts.upsertAll(rows, { run: 'erp-1' }))
    expect(results.map(({ row, index }) => [row, index])).toEqual(rows.map((row, index) => [row, index]))
    expect(results.slice(0, 300).every(({ isReplay, record }) => isReplay && record?.version === 1)).toBe(true)
    expect(proxy.cuts()).toBeGreaterThan(3)
    const contacts = await stored(given.crm())
    expect(contacts.size).toBe(950)
    expect([...contacts.values()].filter(({ version }) => version !== 1)).toEqual([])
  })

  test('of rows with versions changes each once, though the program has read newer versions when it starts again', async () => {
    const crm = given.crm()
    await all(crm.contacts.upsertAll(people(150), { run: 'first' }))
    const changed = (expectedVersion: number) =>
      [...people(150)].map(row => ({ ...row, description: 'Customer', expectedVersion }))
    const first = await all(crm.contacts.upsertAll(changed(1), { run: 'second', overwrite: false }))
    expect(first.every(({ record, isReplay }) => record?.version === 2 && !isReplay)).toBe(true)
    await crm.contacts.change(String(first[0]?.record?.id), () => ({ description: 'Partner' }))

    const again = await all(crm.contacts.upsertAll(changed(2), { run: 'second', overwrite: false }))
    expect(again.map(({ record, isReplay }) => [record?.version, isReplay])).toEqual(
      again.map(({ index }) => [index === 0 ? undefined : 2, true]),
    )
    expect(again[0]).toMatchObject({
      error: { code: 'decided_before', details: { firstUsedAt: expect.any(String) } },
      current: { description: 'Partner', version: 3 },
    })
    const contacts = await stored(crm)
    expect(contacts.get('person-0')?.description).toBe('Partner')
    expect(contacts.get('person-1')?.description).toBe('Customer')
  })
})

test('rows that were refused at the first start are not told as written when their versions are corrected in the same run', async () => {
  const crm = given.crm()
  await all(crm.contacts.upsertAll(people(2), { run: 'first' }))
  const changed = (expectedVersion: number) =>
    [...people(2), { externalId: '' }].map(row => ({ ...row, description: 'Customer', expectedVersion }))
  const refused = await all(crm.contacts.upsertAll(changed(7), { run: 'second', overwrite: false }))
  expect(refused.map(({ error }) => error?.code)).toEqual(['version_conflict', 'version_conflict', 'validation_error'])

  const again = await all(crm.contacts.upsertAll(changed(1), { run: 'second', overwrite: false }))
  expect(again.map(({ error, current }) => [error?.code, current?.version])).toEqual([
    ['decided_before', 1],
    ['decided_before', 1],
    ['decided_before', undefined],
  ])
  const third = await all(crm.contacts.upsertAll(changed(1), { run: 'third', overwrite: false }))
  expect(third.map(({ record }) => record?.description)).toEqual(['Customer', 'Customer', undefined])
})

describe('rows', () => {
  test('overwrite what is there, and a refused one is a result beside the others', async () => {
    const crm = given.crm()
    await all(crm.contacts.upsertAll(people(2), { run: 'one' }))
    const rows = [...people(3), { externalId: 'nameless' }].map(row => ({ ...row, description: 'Customer' }))
    const results = await all(crm.contacts.upsertAll(rows, { run: 'two' }))
    expect(results.map(({ status, record }) => [status, record?.version])).toEqual([
      [200, 2],
      [200, 2],
      [201, 1],
      [422, undefined],
    ])
    expect(results[3]).toMatchObject({ index: 3, row: rows[3], error: { code: 'validation_error' } })
  })

  test('with versions create only what is new, and meet the conflicts of each', async () => {
    const crm = given.crm()
    await all(crm.contacts.upsertAll(people(2), { run: 'one' }))
    const rows = [...people(3)].map((row, at) => ({ ...row, ...(at === 0 && { expectedVersion: 7 }) }))
    const results = await all(crm.contacts.upsertAll(rows, { run: 'two', overwrite: false }))
    expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
      [409, 'version_conflict'],
      [428, 'precondition_required'],
      [201, undefined],
    ])
  })

  test('of two kinds have different keys in the same run', async () => {
    const crm = given.crm()
    const [contact] = await all(crm.contacts.upsertAll(people(1), { run: 'one' }))
    const tasks = [{ externalId: 'person-0', title: 'Call', contact: { id: String(contact?.record?.id) } }]
    const written = await all(crm.tasks.upsertAll(tasks, { run: 'one' }))
    expect(written).toMatchObject([{ status: 201, isReplay: false }])
  })

  test('of a batch that is refused end the run with its error', async () => {
    const reader = await given.organization.token(['crm_contacts_read'])
    const results = given.crm({ token: reader.token }).contacts.upsertAll(people(1), { run: 'one' })
    await expect(all(results)).rejects.toMatchObject({ code: 'insufficient_scope' })
  })
})

test('five that change one record at once all succeed', async () => {
  const crm = given.crm()
  const { id } = await crm.contacts.create({ firstName: 'Anna', lastName: 'Petrova', description: '' })
  const words = ['a', 'b', 'c', 'd', 'e']
  const append = (word: string) =>
    crm.contacts.change(id, ({ description }) => ({ description: `${description ?? ''}${word}` }))
  await Promise.all(words.map(append))
  const { version, description } = await crm.contacts.get(id)
  expect([version, [...String(description)].sort()]).toEqual([6, words])
  expect(await crm.contacts.change(id, () => null)).toMatchObject({ version: 6 })
})

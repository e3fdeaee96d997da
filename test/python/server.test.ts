import { expect, test } from 'vitest'
import { aCuttingProxy, cutOneIn } from '../sdk/support/cutting-proxy.ts'
import { useOrganizations } from '../sdk/support/given.ts'
import { people } from '../sdk/support/people.ts'
import { runPython } from './support/python.ts'

const given = useOrganizations()
const reaching = (url: string) => ({ CRM_URL: url, CRM_TOKEN: given.organization.client.token })

test('records are created, read, changed, removed and listed, and refusals have the classes of their codes', async () => {
  const names = Array.from({ length: 7 }, (_, at) => `Company ${6 - at}`)
  expect(await runPython('test/python/programs/records.py', reaching(given.api.url))).toEqual({
    created: [201, {}, 36, 1],
    read: 'Order chairs',
    updated: 2,
    changed: 'Chairs!',
    conflict: [409, 3, false],
    removed: true,
    gone: 'not_found',
    listed: names,
    pages: [3, 3, 1],
    first: 2,
    found: ['Company 3'],
    used: true,
    malformed: ['validation_error', 400],
    attached: ['offer.txt'],
  })
})

test('a thousand rows are written once through a connection that is cut, and the SDK replays them with the same keys', async () => {
  const proxy = await aCuttingProxy(given.api.url, cutOneIn(3))
  const upsert = (url: string) => runPython('test/python/programs/upsert.py', reaching(url), '1000', 'erp')
  const first = await upsert(proxy.url)
  expect(proxy.cuts()).toBeGreaterThan(2)
  expect(first).toMatchObject({ retries: proxy.cuts() })
  expect(await upsert(given.api.url)).toEqual({ became: { '201 True': 1000 }, retries: 0 })

  const crm = given.crm()
  let replayed = 0
  for await (const { isReplay, record } of crm.contacts.upsertAll(people(1000), { run: 'erp' }))
    if (isReplay && record?.version === 1) replayed += 1
  let stored = 0
  for await (const { version } of crm.contacts.list({ limit: 100 })) if (version === 1) stored += 1
  expect([replayed, stored]).toEqual([1000, 1000])
})

test('a copy has the contact before it and each one after it, though the connection is cut', async () => {
  await given.crm().contacts.create({ firstName: 'Anna' })
  const proxy = await aCuttingProxy(given.api.url, cutOneIn(4))
  const copied = await runPython('test/python/programs/follow.py', reaching(proxy.url))
  expect(copied).toEqual([
    ['Anna', 'Boris', 'Clara', 'Dora'],
    [0, 1, 2],
  ])
  expect(proxy.cuts()).toBeGreaterThan(1)
})

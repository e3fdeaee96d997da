import { afterEach, expect, test } from 'vitest'
import { aContact } from '../../support/builders.ts'
import { Client } from '../../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type Lending, Pooler } from '../../support/pooler.ts'
import { useProcesses } from '../../support/process.ts'
import { anApplication, onDatabase } from '../support/installations.ts'
import { expectNoSessions } from '../support/pooled.ts'

const processes = useProcesses()
let database: TestDatabase
let pooler: Pooler

/** A pooler in front of a database whose own time is that of Tokyo, and the environment of a server behind both. */
async function behindPooler(lending: Lending, most?: number) {
  database = await createTestDatabase(2)
  const { location } = database
  if ('url' in location) throw new Error('the database of the tests is reached through a socket')
  await database.database.script(`alter database ${location.database} set timezone to 'Asia/Tokyo'`)
  pooler = new Pooler(location, lending, most === undefined ? {} : { most })
  return onDatabase(processes, await pooler.start())
}

afterEach(async () => {
  await pooler?.stop()
  await database?.drop()
})

test('a server behind a pooler that lends a connection to each client serves, with its own settings', async () => {
  const environment = await behindPooler('sessions')
  const { token } = await anApplication(database.database)
  const server = await processes.serve(environment)
  const client = new Client(server.url, token)
  const before = Date.now()
  const { status, data } = await client.post('/contacts', aContact())
  expect(status).toBe(201)
  expect(Math.abs(Date.parse(String(data.createdAt)) - before)).toBeLessThan(60_000)
  const doctor = await processes.run(['doctor'], environment)
  expect(doctor.status).toBe(0)
  expect(doctor.out).toContain('ok     session: ')

  // What the pooler lends from now on, it lends for single transactions: no such connection is used.
  pooler.lending = 'clean transactions'
  pooler.cutOff()
  for (const ask of [
    () => client.post('/contacts', aContact()),
    () => client.get('/contacts'),
    () => client.get('/contacts?search=anna'),
  ]) {
    const answer = await ask()
    expect([answer.status, answer.error.code]).toEqual([503, 'service_unavailable'])
  }
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503)

  pooler.lending = 'sessions'
  expect((await client.get(`/contacts/${data.id}`)).data).toEqual(data)
})

test.each([
  ['one connection, which all share', 1],
  ['several connections, which take turns', 3],
])('a pooler that lends for single transactions is refused at the start, and named by doctor: %s', async (_, most) => {
  const environment = await behindPooler('transactions', most)
  await expectNoSessions(processes, environment)
})

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { Pooler } from '../../../../test/support/pooler.ts'
import { Database } from './database.ts'

let own: TestDatabase
let pooler: Pooler
beforeAll(async () => {
  own = await createTestDatabase(1)
  pooler = new Pooler(own.location, 'sessions')
})
afterAll(async () => {
  await pooler.stop()
  await own.drop()
})

const established = '01'
const keepAlive = '02'

/** The timers of the connections to this port, as Linux tells: what is waited for, and for how many hundredths of a second. */
async function timersOf(port: number): Promise<[string, number][]> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map(line => line.trim().split(/\s+/u))
  const connections = rows.filter(([, , address = '', state]) => address.endsWith(remote) && state === established)
  return connections.map(([, , , , , timer = '']) => {
    const [what = '', left = ''] = timer.split(':')
    return [what, Number.parseInt(left, 16)]
  })
}

test('a connection without limits of time finds out within minutes that the machine of the database is gone', async () => {
  const url = await pooler.start()
  const database = new Database({ location: { url }, connections: 2 })
  const timers = await database.session(() => timersOf(Number(new URL(url).port)))
  await database.close()
  expect(timers).toEqual([[keepAlive, expect.any(Number)]])
  expect(timers[0]?.[1]).toBeLessThanOrEqual(60_00)
})

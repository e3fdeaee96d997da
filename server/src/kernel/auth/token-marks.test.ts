import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../../test/support/api.ts'
import { anOrganization } from '../../../../test/support/organization.ts'
import { Database, type Row, type Statement, statement } from '../sql/index.ts'
import { TokenMarks } from './usage.ts'

const selectMarks = statement(
  'test_marks_of_token',
  `select t.last_used_at, t.last_used_ip, t.last_refused_at, t.last_refused_ip, t.last_refused_reason
     from api_tokens t where t.id = $1`,
)

/** Fails to do what it is asked when it is told to. */
class FailingDatabase extends Database {
  fails = false

  override query<R extends Row = Row>(asked: Statement, values: readonly unknown[]): Promise<R[]> {
    return this.fails ? Promise.reject(new Error('no database')) : super.query<R>(asked, values)
  }
}

let api: TestApi
let database: FailingDatabase
let makeToken: () => Promise<string>
beforeAll(async () => {
  api = await startApi()
  database = new FailingDatabase({ location: api.test.location, connections: 4 })
  const { token } = await anOrganization(api)
  makeToken = async () => (await token([])).token.split('_')[2] ?? ''
})
afterAll(async () => {
  await database.close()
  await api.close()
})

const clockAt = (time: string) => ({ now: () => Date.parse(time) })
const marksAt = (time: string) => new TokenMarks(database, clockAt(time))
const marksOf = async (id: string) => (await database.query(selectMarks, [id]))[0]
const [morning, evening] = ['2026-03-01T08:00:00.000Z', '2026-03-01T20:00:00.000Z']

describe('the last use and the last refusal of a token', () => {
  it('are written with the address, and the reason', async () => {
    const id = await makeToken()
    const marks = marksAt(morning)
    marks.noteUse(id, '192.0.2.7')
    marks.noteRefusal(id, 'network', '192.0.2.8')
    await Promise.all([marks.writeUses(), marks.writeRefusals()])
    expect(await marksOf(id)).toEqual({
      last_used_at: morning,
      last_used_ip: '192.0.2.7',
      last_refused_at: morning,
      last_refused_ip: '192.0.2.8',
      last_refused_reason: 'network',
    })
  })

  it('stay where another node has written later ones', async () => {
    const id = await makeToken()
    for (const [time, address] of [
      [evening, '192.0.2.1'],
      [morning, '192.0.2.2'],
    ] as const) {
      const marks = marksAt(time)
      marks.noteUse(id, address)
      marks.noteRefusal(id, 'revoked', address)
      await Promise.all([marks.writeUses(), marks.writeRefusals()])
    }
    expect(await marksOf(id)).toMatchObject({
      last_used_at: evening,
      last_used_ip: '192.0.2.1',
      last_refused_at: evening,
      last_refused_ip: '192.0.2.1',
    })
  })

  it('are written later where the database was away', async () => {
    const id = await makeToken()
    const marks = marksAt(morning)
    marks.noteUse(id, '192.0.2.7')
    database.fails = true
    await expect(marks.writeUses()).rejects.toThrow('no database')
    database.fails = false
    await marks.writeUses()
    expect(await marksOf(id)).toMatchObject({ last_used_at: morning, last_used_ip: '192.0.2.7' })
  })

  it('are written by several nodes at once, in whatever order they came', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, makeToken))
    for (let round = 1; round <= 20; round += 1) {
      const nodes = [ids, ids.toReversed(), ids].map(order => {
        const marks = marksAt(`2026-03-02T08:00:${String(round).padStart(2, '0')}.000Z`)
        for (const id of order) marks.noteUse(id, '192.0.2.7')
        return marks
      })
      await Promise.all(nodes.map(marks => marks.writeUses()))
    }
    for (const id of ids) expect(await marksOf(id)).toMatchObject({ last_used_at: '2026-03-02T08:00:20.000Z' })
  })
})

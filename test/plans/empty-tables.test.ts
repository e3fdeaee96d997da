import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { callEveryOperation } from './every-operation.ts'
import { type KeyCheck, keyCheck } from './large-tables.ts'
import { genericPlan } from './plan.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

const isPrepared = ({ pool, statement }: Sent) => pool === 'points' && statement.name !== ''

// A prepared statement keeps the plan that it was given. One that was made while a table was empty must already be the
// one for millions of rows: it once stayed a walk through the organization, until statistics came. A statement without
// a name is planned each time.
describe('plans that were made while the tables were empty', () => {
  let api: RecordedApi
  let empty: TestDatabase
  let sent: Map<string, Sent>
  let check: KeyCheck
  beforeAll(async () => {
    api = await startRecordedApi()
    empty = await createTestDatabase()
    check = await keyCheck(empty.database)
    const all = await api.recorded(async () => callEveryOperation(await anOrganization(api)))
    sent = new Map(all.filter(isPrepared).map(each => [each.statement.name, each]))
  })
  afterAll(async () => {
    await api.close()
    await empty.drop()
  })

  test('every operation was called and none failed inside', () => {
    expect(api.failures).toEqual([])
    expect([...api.answered].sort()).toEqual(operations.map(({ id }) => id).sort())
    expect(sent.size).toBeGreaterThan(30)
    const names = [...sent.keys()]
    expect(names).toEqual(expect.arrayContaining(['load_keys', 'load_all_keys', 'get_contact', 'select_changes']))
    expect(names.filter(name => name.startsWith('save_')).length).toBeGreaterThan(5)
  })

  test('look up by the whole key', async () => {
    const breaches: Record<string, string[]> = {}
    for (const [name, each] of sent) {
      const found = check(await genericPlan(empty.database, each))
      if (found.length > 0) breaches[name] = found
    }
    expect(breaches).toEqual({})
  })

  test('the check sees a key that is not whole, and a scan', async () => {
    const plan = (text: string) =>
      genericPlan(empty.database, { statement: { name: 'test_bad', text }, values: [], pool: 'queries' })
    const half = await plan('select from external_keys where organization_id = $1 and key = $2')
    expect(check(half)).toEqual([expect.stringContaining('uses external_keys_pkey without application_id, kind, gone')])
  })
})

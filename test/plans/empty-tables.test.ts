import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import type { Database } from '../../server/src/kernel/sql/index.ts'
import { operations } from '../../server/src/modules.ts'
import { anUndoneImport } from '../conformance/support/undos.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { aBulkJobWithErrors } from '../support/full-organization.ts'
import { anOrganization } from '../support/organization.ts'
import { callEveryOperation } from './every-operation.ts'
import { fill } from './fill.ts'
import { amongFew, keyCheck, runsSeldom, sequentialScans } from './large-tables.ts'
import { genericPlan, type Plan } from './plan.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

const isPrepared = ({ pool, statement }: Sent) => pool === 'points' && statement.name !== ''

// What an erasure reads besides the person: once a person, and in the first seconds of an installation little.
const ofErasures = [
  ...['drop_audit_values', 'drop_audit_values_about'],
  ...['drop_stored_answers', 'replace_elements_of_stored_answers'],
  // PostgreSQL 15 looks up the entries of several persons by the organization alone, until there are statistics.
  'find_former_values_of_person',
]

// In tables without a row a save may walk what there is of the organization, until the first statistics. From a few
// hundred rows on it may not.
const isSave = (name: string) => name.startsWith('save_')

// A prepared statement keeps the plan that it was given. One that was made while a table was empty must already be the
// one for millions of rows: it once stayed a walk through the organization, until statistics came. With them, but few
// rows, to read them all looks cheap for a statement that may be about a hundred. A statement without a name is planned
// each time.
describe('plans that were made while the tables were empty or small', () => {
  let api: RecordedApi
  let empty: TestDatabase
  let sent: Map<string, Sent>
  beforeAll(async () => {
    api = await startRecordedApi()
    empty = await createTestDatabase()
    const all = await api.recorded(async () => {
      const organization = await anOrganization(api)
      await anUndoneImport(api, organization)
      await callEveryOperation(organization)
      await aBulkJobWithErrors(api, organization)
    })
    sent = new Map(all.filter(isPrepared).map(each => [each.statement.name, each]))
  })
  afterAll(async () => {
    await api.close()
    await empty.drop()
  })

  async function breachesIn(database: Database, names: readonly string[]): Promise<Record<string, string[]>> {
    const check = await keyCheck(database)
    const breaches: Record<string, string[]> = {}
    for (const name of names.filter(each => !runsSeldom.has(each))) {
      const each = sent.get(name)
      const found = each === undefined ? ['was not sent'] : check(await genericPlan(database, each))
      if (found.length > 0) breaches[name] = found
    }
    return breaches
  }

  test('every operation was called and none failed inside', () => {
    expect(api.failures).toEqual([])
    expect([...api.answered].sort()).toEqual(operations.map(({ id }) => id).sort())
    expect(sent.size).toBeGreaterThan(30)
    const names = [...sent.keys()]
    expect(names).toEqual(expect.arrayContaining(['load_keys', 'load_all_keys', 'get_contact', 'select_changes']))
    expect(names.filter(name => name.startsWith('save_')).length).toBeGreaterThan(5)
  })

  test('look up by the whole key in empty tables', async () => {
    const names = [...sent.keys()].filter(name => !ofErasures.includes(name) && !amongFew.has(name) && !isSave(name))
    expect(await breachesIn(empty.database, names)).toEqual({})
  })

  test('and read none of them from end to end', async () => {
    const plans: Plan[] = []
    for (const each of sent.values()) plans.push(await genericPlan(empty.database, each))
    expect(plans.flatMap(sequentialScans)).toEqual([])
  })

  test.each([600, 5000])('look up by the whole key among %s records, of which none was removed yet', async count => {
    await fill(api.test.database, await anOrganization(api), { count, removed: 0 })
    // A few hundred audit entries may all be read, once for each person.
    const names = [...sent.keys()].filter(name => name !== 'drop_audit_values_about')
    expect(await breachesIn(api.test.database, names)).toEqual({})
  })

  test('and the check finds a partial key and a scan', async () => {
    const check = await keyCheck(empty.database)
    const text = 'select from external_keys where organization_id = $1 and key = $2'
    const values = [newId(), 'a key']
    const half = await genericPlan(empty.database, { statement: { name: 'test_bad', text }, values, pool: 'queries' })
    expect(check(half)).toEqual([expect.stringContaining('uses external_keys_pkey without application_id, kind, gone')])
  })
})

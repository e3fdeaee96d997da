import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExportType, exportTypes, rowsOfTypes } from '../../server/src/crm/exports/types.ts'
import { phonesBehind } from '../../server/src/kernel/index.ts'
import { nestedResources, resources } from '../../server/src/modules.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aConfiguration } from '../support/decisions.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { fill, idOf } from './fill.ts'

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
  await fill(api.test.database, organization, { count: 5000, removed: 10 })
}, 120_000)
afterAll(() => api.close())

const types = rowsOfTypes({ resources, nestedResources })

/** The plan of the statement with which an export is written, on a connection as exports have it. */
function planOf(type: ExportType): Promise<string> {
  const rows = types[type]
  const columns = rows.columns({ configuration: aConfiguration(), tags: new Map() })
  const selection = {
    organization: { id: organization.id, country: 'US', timeZone: 'UTC' },
    applicationId: organization.applicationId,
    conditions: [],
  }
  return explained(rows.select(columns, selection))
}

function explained({ statement, values }: ReturnType<(typeof types)[ExportType]['select']>): Promise<string> {
  return api.test.database.long('export', async transaction => {
    await transaction.query({ name: '', text: `select set_config('crm.claim', 'held', true)` }, [])
    const text = statement.text.replace(/^\s*select\b/mu, 'explain select')
    const lines = await transaction.query({ name: '', text }, values)
    return lines.map(line => String(line['QUERY PLAN'])).join('\n')
  })
}

// The first row comes at once, however many there are, and the rows of other organizations are not read.
describe('an export walks along an index, and sorts no more than the links of one record', () => {
  test.each(exportTypes)('%s', async type => {
    const plan = await planOf(type)
    expect(plan).toMatch(/Index Scan|Index Only Scan/u)
    expect(plan).not.toMatch(/Seq Scan|Bitmap|Hash|Gather/u)
    expect(plan.match(/(?<!Incremental )Sort {2}/gu) ?? []).toEqual([])
  })
})

test.each(['contact', 'company'] as const)(
  'the normalisation of phone numbers reads a %s behind the last one by the primary key',
  async kind => {
    const resource = resources.find(each => each.kind === kind)
    if (resource === undefined) throw new Error(`there is no ${kind}`)
    const { statement, values } = phonesBehind(resource, idOf(kind, 2500), 100)
    const plan = await explained({ statement, values: [organization.id, ...values] })
    expect(plan).toContain(`Index Scan using ${resource.plural}_pkey`)
    expect(plan).not.toMatch(/Seq Scan|Sort/u)
  },
)

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { createdAt, fewerRecords, fillForReports, idOf, rare } from './fill.ts'
import { sequentialScans } from './large-tables.ts'
import { executedPlan, type Plan, type PlanNode } from './plan.ts'
import { type RecordedApi, startRecordedApi } from './recorded-api.ts'

let api: RecordedApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startRecordedApi()
  organization = await anOrganization(api)
  await fillForReports(api.test.database, organization)
}, 180_000)
afterAll(() => api.close())

const period = `startDate=2026-01-01&endDate=${createdAt(fewerRecords).slice(0, 10)}`
const past = `startDate=2026-01-01&endDate=${createdAt(fewerRecords / 4).slice(0, 10)}`

const questions = [
  ['all deals', ''],
  ['all deals, and where they stood', past],
  ['the longest period', period],
  ['an owner', 'ownerId'],
  ['an owner, and where deals stood', `${past}&ownerId`],
  ['a pipeline', 'pipelineId'],
  ['a pipeline, and where deals stood', `${past}&pipelineId`],
  ['a tag', 'tagId'],
  ['a contact', `${period}&contactId`],
  ['a company', `${period}&companyId`],
] as const

describe('for the only organization', () => {
  test.each(questions)('a summary of %s reads spans by indexes, and sorts nothing that grows', async (_, query) => {
    const plan = await planOf(query)
    expect(sequentialScans(plan)).not.toContain('reads the whole of deal_stage_spans')
    expect(largeSorts(plan)).toEqual([])
  })

  test('a summary of all deals reads them from end to end, once', async () => {
    const scans = sequentialScans(await planOf(period))
    expect(scans.filter(each => each === 'reads the whole of deals')).toHaveLength(1)
  })

  test('a summary reads each deal at most twice, and each span once for each of its times', async () => {
    const { nodes } = await planOf(period)
    const read = (table: string) =>
      nodes.filter(each => each.table === table).reduce((sum, { rows, removed }) => sum + rows + removed, 0)
    // All in one pass; the half that was won again for how long that took.
    expect(read('deals')).toBeLessThanOrEqual(1.6 * fewerRecords)
    // As many were entered as there are, and a third of them left.
    expect(read('deal_stage_spans')).toBeLessThanOrEqual(2.1 * fewerRecords)
  })
})

test('the check sees a sort that grows', async () => {
  const statement = { name: '', text: 'select id from deals order by title, id' }
  const plan = await executedPlan(api.test.database, { statement, values: [], pool: 'reports' })
  expect(largeSorts(plan)).toEqual([`sorts ${fewerRecords} rows`])
})

describe('for one organization of three', () => {
  beforeAll(async () => {
    await fillForReports(api.test.database, await anOrganization(api), await anOrganization(api))
  }, 300_000)

  test.each(questions)('a summary of %s reads by indexes, and sorts nothing that grows', async (_, query) => {
    const plan = await planOf(query)
    expect(sequentialScans(plan)).toEqual([])
    expect(largeSorts(plan)).toEqual([])
  })

  test.each(['contactId', 'companyId'])('a summary by %s touches only the linked records', async filter => {
    const { pages } = await planOf(`${period}&${filter}`)
    expect(pages).toBeLessThanOrEqual(300)
  })
})

/** How the one statement of a summary went; a filter alone is given the id of something that there is. */
async function planOf(query: string): Promise<Plan> {
  const { operator, pipelineId, tag } = organization
  const named: Readonly<Record<string, string>> = {
    ownerId: operator,
    pipelineId,
    tagId: tag,
    contactId: idOf('contact', rare),
    companyId: idOf('company', rare),
  }
  const complete = query.replace(/[a-z]+Id$/u, filter => `${filter}=${named[filter]}`)
  const sent = await api.recorded(async () => {
    const { status, error } = await organization.client.get(`/analytics/summary?${complete}`)
    expect([status, error]).toEqual([200, {}])
  })
  const [report, ...others] = sent.filter(({ pool }) => pool === 'reports')
  if (report === undefined) throw new Error('no report was sent')
  expect(others).toEqual([])
  return executedPlan(api.test.database, report)
}

/** Sorts of more rows than a report has groups. Below a limit only the first are kept. */
function largeSorts({ nodes }: Plan): string[] {
  const isLimited = (sort: PlanNode) => nodes.some(({ type, children }) => type === 'Limit' && children.includes(sort))
  const sorts = nodes.filter(node => node.type === 'Sort' && !isLimited(node))
  const sorted = sorts.map(({ children }) => children.reduce((sum, { rows }) => sum + rows, 0))
  return sorted.flatMap(rows => (rows > 2000 ? [`sorts ${rows} rows`] : []))
}

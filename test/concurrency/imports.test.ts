import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importJob } from '../../server/src/crm/imports/run/import-job.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import { aContext } from '../conformance/support/bulk-jobs.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

describe('imports that run at the same time', () => {
  let api: TestApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi()
    organization = await anOrganization(api)
  })
  afterAll(() => api.close())

  const companies = 40
  const rows = 5 * companies

  /** Starts an import of contacts, each with one of the companies, in their order; gives its id. */
  async function started(number: number): Promise<string> {
    const { client } = organization
    const table = Array.from({ length: rows }, (_, index) => [
      `Person ${number}-${index}`,
      `Company ${index % companies}`,
    ])
    // The first chunk has companies of its own: when the others meet, all files are read.
    const own = Array.from({ length: bounds.importOwners.most }, (_, index) => [
      `Own ${index}`,
      `Own ${number}-${index}`,
    ])
    const { id } = expectStatus(await upload(client, csv(['name', 'company'], ...own, ...table)), 201)
    const body = { mapping: { lastName: 0, companyName: 1 }, dedupPolicy: 'create_only', missingCompany: 'create' }
    expectStatus(await client.post(`/imports/${id}/start`, body), 202)
    expect(await importJob.run({ importId: id }, { ...aContext(api, organization), turnEnds: 0 })).toBe('again')
    return String(id)
  }

  /** Runs an import to its end, beside whatever else runs. */
  async function run(importId: string): Promise<void> {
    while ((await importJob.run({ importId }, aContext(api, organization))) === 'again');
  }

  it('create each company once that several of them name', async () => {
    const ids = [await started(0), await started(1), await started(2)]
    await Promise.all(ids.map(run))
    const { client } = organization
    const imports = await Promise.all(ids.map(async id => (await client.get(`/imports/${id}`)).data))
    const own = bounds.importOwners.most
    expect(imports.map(({ status, counters }) => [status, counters])).toEqual(
      ids.map(() => ['completed', expect.objectContaining({ created: rows + own, failed: 0 })]),
    )
    const created = imports.map(({ createdCompanies }) => Number(createdCompanies))
    expect(created.reduce((sum, count) => sum + count)).toBe(companies + 3 * own)
    const all = (await client.get('/companies?limit=100')).items
    const shared = all.filter(({ name }) => String(name).startsWith('Company'))
    expect(shared).toHaveLength(companies)
    for (const { id } of shared)
      expect((await client.get(`/companies/${id}/contacts?limit=100`)).items).toHaveLength((3 * rows) / companies)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFile, attach } from '../conformance/support/files.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { executedPlan } from './plan.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

const files = 100_000

let api: RecordedApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startRecordedApi()
  organization = await anOrganization(api)
  await api.test.database.script(`
    insert into files (organization_id, id, purpose, name, media_type, size_bytes, sha256, created_at)
    select '${organization.id}', gen_random_uuid(), case when n % 10 = 0 then 'export' else 'attachment' end, 'a.txt',
           'text/plain', 1000, repeat('0', 64), now() - n * interval '1 second'
      from generate_series(1, ${files}) n;
    update organization_feed set file_bytes = ${files} * 1000 where organization_id = '${organization.id}';
    analyze files`)
}, 120_000)
afterAll(() => api.close())

/** What the statements about the quota read while a file is attached. */
async function pagesRead(): Promise<number[]> {
  const { id } = await aRecord('deal', organization)
  const isOfQuota = ({ statement: { name } }: Sent) => name === 'select_use_of_file_quota'
  const sent = await api.recorded(async () => {
    expect((await attach(organization.client, `/deals/${id}`, 1, [aFile('x')])).status).toBe(201)
  })
  const plans = sent.filter(isOfQuota).map(each => executedPlan(api.test.database, each))
  return (await Promise.all(plans)).map(({ pages }) => pages)
}

test('an upload reads no file of its organization where there is room, and no more than its exports where there is none', async () => {
  for (const pages of await pagesRead()) expect(pages).toBeLessThanOrEqual(30)
  await api.test.database.script(
    `update organizations set file_quota_bytes = ${files} * 1000 where id = '${organization.id}';
     update organization_feed set file_bytes = ${files} * 1000 where organization_id = '${organization.id}'`,
  )
  const read = await pagesRead()
  expect(read).toHaveLength(2)
  // A tenth of all: 10,000 entries of an index.
  for (const pages of read) expect(pages).toBeLessThanOrEqual(500)
})

import { beforeEach, describe, expect, it } from 'vitest'
import { aChunk, admitted, doneTasks, finished, someRecords } from '../../../../test/conformance/support/bulk-jobs.ts'
import { everything } from '../../../../test/conformance/support/everything.ts'
import { useApi } from '../../../../test/conformance/support/given.ts'
import { aRecord, outcome } from '../../../../test/conformance/support/requests.ts'
import { runJobs } from '../../../../test/support/jobs.ts'
import type { TestOrganization } from '../../../../test/support/organization.ts'
import { bounds } from '../../kernel/index.ts'
import { bulkJobUpkeep } from './index.ts'

const given = useApi({ ownDatabase: true })
const day = 86_400_000

let organization: TestOrganization
beforeEach(async () => {
  organization = await given.organization()
})

const upkeep = () => bulkJobUpkeep.run(given.api.services, new AbortController().signal)
const rowsOf = async (table: string) =>
  Number((await given.sql(`select count(*) from ${table} where organization_id = $1`, [organization.id]))[0]?.count)

describe('upkeep', () => {
  it('removes a job 90 days after its end, with its targets and errors, and no other', async () => {
    const [early, late] = await someRecords('task', 2, organization)
    const stale = { ...doneTasks([]), targets: [{ id: early?.id, expectedVersion: 7 }] }
    const old = await finished(given.api, organization, stale)
    const unfinished = await admitted(organization.client, doneTasks([early ?? {}]))
    await given.sql(`delete from graphile_worker._private_jobs where key like '%' || $1`, [unfinished])
    given.clock.advance(89 * day)
    const young = await finished(given.api, organization, doneTasks([late ?? {}]))
    expect(await upkeep()).toEqual({ removed: { bulkJobs: 0 } })
    given.clock.advance(day + 1000)
    expect(await upkeep()).toEqual({ removed: { bulkJobs: 1 } })
    const kept = (await organization.client.get('/bulk-jobs')).items.map(({ id }) => id)
    expect(kept).toEqual([young.id, unfinished])
    expect(outcome(await organization.client.get(`/bulk-jobs/${old.id}`))).toBe('404 not_found')
    expect([await rowsOf('bulk_job_targets'), await rowsOf('bulk_job_errors')]).toEqual([2, 0])
    await runJobs(given.api)
  })

  it('queues a job again that is missing from the queue, and leaves a queued one alone', async () => {
    const [task] = await someRecords('task', 1, organization)
    const id = await admitted(organization.client, doneTasks([task ?? {}]))
    const queued = () =>
      given.sql(`select j.id, j.attempts from graphile_worker._private_jobs j where j.key like '%' || $1`, [id])
    const before = await queued()
    given.clock.advance(2 * 60_000)
    await upkeep()
    expect([before.length, await queued()]).toEqual([1, before])
    await given.sql(`delete from graphile_worker._private_jobs where key like '%' || $1`, [id])
    await upkeep()
    expect(await queued()).toHaveLength(1)
    await runJobs(given.api)
    expect((await organization.client.get(`/bulk-jobs/${id}`)).data.status).toBe('completed')
  })
})

it('an organization has a bounded number of unfinished jobs', async () => {
  const [task] = await someRecords('task', 1, organization)
  const asked = doneTasks([task ?? {}])
  const id = await admitted(organization.client, asked)
  await given.sql(
    `insert into bulk_jobs
     select (copy).* from (
       select jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', n)) as copy
         from bulk_jobs j cross join generate_series(2, $2::integer) as n where j.id = $1) as copies`,
    [id, bounds.organizationBulkJobs.most],
  )
  const refused = await organization.client.post('/bulk-jobs', asked, { key: 'one-more' })
  expect([outcome(refused), refused.details, refused.headers.get('retry-after')]).toEqual([
    '503 service_unavailable',
    { bound: 'organizationBulkJobs', limit: bounds.organizationBulkJobs.most },
    '5',
  ])
  await aChunk(given.api, organization, id)
  expect((await organization.client.post('/bulk-jobs', asked, { key: 'one-more' })).status).toBe(202)
  await runJobs(given.api)
})

it('an erased person leaves nothing in a job but the id', async () => {
  const secret = 'olga.smirnova@example.com'
  const contact = await aRecord('contact', organization, { externalId: secret, lastName: 'Smirnova' })
  const body = {
    entityType: 'contact',
    action: 'update',
    targets: [{ externalId: secret, expectedVersion: 7 }],
    changes: { ownerUuid: organization.operator },
  }
  const job = await finished(given.api, organization, body)
  expect(JSON.stringify(job)).toContain(secret)
  const erased = await organization.client.delete(`/contacts/${contact.id}?expectedVersion=1&mode=full`)
  expect(erased.status).toBe(200)
  const left = await everything(given, organization)
  expect(left).toContain(contact.id)
  expect(left).not.toContain(secret)
  expect(left).not.toContain('Smirnova')
  const { data } = await organization.client.get(`/bulk-jobs/${job.id}`)
  expect(data.errors).toMatchObject([{ target: { id: contact.id, externalId: null } }])
})

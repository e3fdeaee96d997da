import { describe, expect, it } from 'vitest'
import { exportsUpkeep } from '../../server/src/crm/exports/exports-upkeep.ts'
import { filesOf } from '../../server/src/kernel/files/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { TestClock } from '../support/api.ts'
import { runJobs } from '../support/jobs.ts'
import { useQueue } from './support.ts'

const day = 86_400_000

const clock = new TestClock()
const queue = useQueue({ clock })

const ask = async (type: string) => String((await queue.organization.client.post('/exports', { type })).data.id)
const read = async (id: string) => (await queue.organization.client.get(`/exports/${id}`)).data

/** What lies in the store for the organization. */
async function stored(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of queue.api.services.files.store.list(filesOf(queue.organization.id))) keys.push(key)
  return keys
}

const countJobs = statement(
  'test_count_jobs_of_exports',
  `select count(*)::integer as count from graphile_worker._private_jobs j
    where j.payload -> 'payload' ->> 'exportId' = any($1::text[])`,
)

describe('old exports', () => {
  const upkeep = () => exportsUpkeep.run(queue.api.services, new AbortController().signal)

  it('expire with their files, and are forgotten with their keys', async () => {
    const { client } = queue.organization
    const first = await client.post('/exports', { type: 'deals' }, { key: 'old' })
    await runJobs(queue.api)
    expect(await stored()).toHaveLength(1)
    await upkeep()
    expect(await stored()).toHaveLength(1)
    clock.advance(7 * day)
    expect((await upkeep()).removed.expiredExports).toBeGreaterThan(0)
    expect(await stored()).toEqual([])
    expect((await read(String(first.data.id))).status).toBe('expired')
    clock.advance(84 * day)
    await upkeep()
    expect((await client.get('/exports')).items).toEqual([])
  })

  const forgetJobs = statement('test_forget_jobs', 'delete from graphile_worker._private_jobs')

  it('that are not in the queue go back to it, once, and only when they should be there', async () => {
    const [id, other] = [await ask('deals'), await ask('companies')]
    await queue.api.test.database.search(forgetJobs, [])
    const queued = async () => (await queue.api.test.database.search(countJobs, [[id, other]]))[0]?.count
    await upkeep()
    expect(await queued()).toBe(0)
    clock.advance(61_000)
    await upkeep()
    await upkeep()
    expect(await queued()).toBe(2)
    await runJobs(queue.api)
    expect([(await read(id)).status, (await read(other)).status]).toEqual(['completed', 'completed'])
    await upkeep()
    expect(await queued()).toBe(0)
  })

  it('that nobody works on are failed after a day', async () => {
    const id = await ask('deals')
    await queue.api.test.database.search(forgetJobs, [])
    clock.advance(day - 1000)
    await upkeep()
    expect((await read(id)).status).toBe('queued')
    clock.advance(2000)
    await upkeep()
    expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'internal_error' } })
    expect((await queue.organization.client.get('/audit')).items[0]).toMatchObject({
      action: 'export.failed',
      resourceId: id,
    })
  })
})

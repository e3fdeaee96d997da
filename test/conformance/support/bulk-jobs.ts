import { expect } from 'vitest'
import { bulkJob } from '../../../server/src/crm/bulk-jobs/run-bulk-job.ts'
import { bounds, Pace } from '../../../server/src/kernel/index.ts'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestApi } from '../../support/api.ts'
import type { Client } from '../../support/client.ts'
import { runJobs } from '../../support/jobs.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { aRecord, type Kind } from './requests.ts'

/** New records of a kind, in the order of their creation. */
export async function someRecords(
  kind: Kind,
  count: number,
  organization: TestOrganization,
  members: JsonObject = {},
): Promise<JsonObject[]> {
  const records: JsonObject[] = []
  for (let index = 0; index < count; index += 1) records.push(await aRecord(kind, organization, members))
  return records
}

/** So many tasks, copied where the API would take minutes. */
export async function manyTasks({ test }: Pick<TestApi, 'test'>, organization: TestOrganization, count: number) {
  const { id } = await aRecord('task', organization)
  await test.database.script(
    `insert into tasks
     select (copy).* from (
       select jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid())) as copy
         from tasks t cross join generate_series(2, ${count})
        where t.organization_id = '${organization.id}' and t.id = '${id}') as copies`,
  )
}

export const byId = ({ id }: JsonObject) => ({ id })

/** A job for tasks, which are to be done. */
export const doneTasks = (tasks: readonly JsonObject[]) => ({
  entityType: 'task',
  action: 'update',
  targets: tasks.map(byId),
  changes: { status: 'done' },
})

/** Takes a job in; gives its id. */
export async function admitted(client: Client, body: unknown, key?: string): Promise<string> {
  const { status, data, error } = await client.post('/bulk-jobs', body, key === undefined ? {} : { key })
  expect({ status, error }).toEqual({ status: 202, error: {} })
  return String(data.id)
}

/** Takes a job in and lets it run to its end. */
export async function finished(api: TestApi, { client }: TestOrganization, body: unknown): Promise<JsonObject> {
  const id = await admitted(client, body)
  await runJobs(api)
  return (await client.get(`/bulk-jobs/${id}`)).data
}

/** What a job does in a turn that ends at once, which is one chunk. */
export function aChunk({ services }: Pick<TestApi, 'services'>, { id }: TestOrganization, jobId: string) {
  return bulkJob.run({ jobId }, { ...aContext({ services }, { id }), turnEnds: 0 })
}

export function aContext(
  { services }: Pick<TestApi, 'services'>,
  { id: organizationId }: Pick<TestOrganization, 'id'>,
  signal = new AbortController().signal,
) {
  const turnEnds = performance.now() + bounds.jobTurn.most
  const pace = new Pace(services.admission)
  return { organizationId, services, signal, turnEnds, pace, attempt: 1, isLastAttempt: false }
}

/** The sum of the counters of a job. */
export function sumOf(job: JsonObject): number {
  return Object.values(Object(job.counters)).reduce<number>((sum, count) => sum + Number(count), 0)
}

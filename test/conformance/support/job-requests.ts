import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aTask } from '../../support/builders.ts'
import type { TestOrganization } from '../../support/organization.ts'

interface Unsent {
  readonly path: string
  readonly body?: JsonObject
}

/** A valid request for each operation on bulk jobs and exports. */
export const jobRequests: Readonly<Record<string, (organization: TestOrganization) => Promise<Unsent>>> = {
  'bulkJobs.list': async organization => {
    await taken(organization, await newBulkJob(organization))
    return { path: '/bulk-jobs' }
  },
  'bulkJobs.create': newBulkJob,
  'bulkJobs.get': async organization => ({
    path: `/bulk-jobs/${await taken(organization, await newBulkJob(organization))}`,
  }),
  'exports.list': async organization => {
    await taken(organization, newExport)
    return { path: '/exports' }
  },
  'exports.create': async () => newExport,
  'exports.get': async organization => ({ path: `/exports/${await taken(organization, newExport)}` }),
}

const newExport = { path: '/exports', body: { type: 'contacts' } }

/** A bulk job for a new task: one by id. */
async function newBulkJob({ client }: TestOrganization) {
  const { id } = (await client.post('/tasks', aTask())).data
  const changes = { status: 'done' }
  return { path: '/bulk-jobs', body: { entityType: 'task', action: 'update', targets: [{ id }], changes } }
}

/** The id of a job that was taken in. */
async function taken({ client }: TestOrganization, { path, body }: Unsent): Promise<string> {
  const answer = await client.post(path, body)
  if (answer.status !== 202) throw new Error(`no job was taken in: ${JSON.stringify(answer.body)}`)
  return String(answer.data.id)
}

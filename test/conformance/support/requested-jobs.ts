import { expect } from 'vitest'
import { bulkJob } from '../../../server/src/crm/bulk-jobs/run-bulk-job.ts'
import { exportJob } from '../../../server/src/crm/exports/run-export.ts'
import { importJob } from '../../../server/src/crm/imports/run/import-job.ts'
import type { Job } from '../../../server/src/kernel/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { admitted, doneTasks } from './bulk-jobs.ts'
import { csv, upload } from './imports.ts'
import { aRecord } from './requests.ts'

export const mapping = { firstName: 'Name', email1: 'Mail' }
export const rows = csv(['Name', 'Mail'], ['Anna', 'anna@example.com'])

/** Requests a job of a type, and gives its id; it has not run. */
export const requested = {
  bulk_job: async (organization: TestOrganization) =>
    admitted(organization.client, doneTasks([await aRecord('task', organization)])),
  export: async ({ client }: TestOrganization) => String((await client.post('/exports', { type: 'contacts' })).data.id),
  async import({ client }: TestOrganization) {
    const { id } = (await upload(client, rows)).data
    expect((await client.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_only' })).status).toBe(202)
    return String(id)
  },
}
/** What runs the jobs of a type, and the member of their payload that names one. */
export const jobs: Readonly<Record<keyof typeof requested, readonly [job: Job, payload: string]>> = {
  bulk_job: [bulkJob, 'jobId'],
  export: [exportJob, 'exportId'],
  import: [importJob, 'importId'],
}

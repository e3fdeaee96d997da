import { jobRecordUpkeep, type Module } from '../../kernel/index.ts'
import { bulkJobRecord } from './bulk-job.ts'
import { createBulkJob } from './create-bulk-job.ts'
import { readBulkJobs } from './read-bulk-jobs.ts'
import { bulkJob, cancelBulkJob } from './run-bulk-job.ts'

/** Removes jobs that ended long ago, with their targets and errors (contract section 10.1). */
export const bulkJobUpkeep = jobRecordUpkeep(bulkJobRecord, bulkJob, {
  name: 'bulk jobs',
  bound: 'organizationBulkJobs',
  counted: { removed: 'bulkJobs' },
  retention: {
    kept: ({ retention }) => retention.bulkJobs * 1000,
    since: 'finished_at',
    parts: ['bulk_job_errors', 'bulk_job_targets'],
  },
})

/** One change of many records, made in the background (specification, "Bulk jobs"; contract section 10.1). */
export const bulkJobs: Module = {
  operations({ bulkActions }) {
    const { list, get } = readBulkJobs(bulkActions)
    return [list, createBulkJob(bulkActions), get]
  },
  cabinetOperations: [cancelBulkJob],
  jobs: [bulkJob],
  jobTypes: [{ type: bulkJobRecord.kind, scope: 'crm_bulk_manage' }],
  upkeep: [bulkJobUpkeep],
}

import type { Module } from '../../kernel/index.ts'
import { createBulkJob } from './create-bulk-job.ts'
import { readBulkJobs } from './read-bulk-jobs.ts'
import { bulkJob } from './run-bulk-job.ts'
import { bulkJobUpkeep } from './upkeep.ts'

/** One change of many records, made in the background (specification, "Bulk jobs"; contract section 10.1). */
export const bulkJobs: Module = {
  operations({ bulkActions }) {
    const { list, get } = readBulkJobs(bulkActions)
    return [list, createBulkJob(bulkActions), get]
  },
  jobs: [bulkJob],
  upkeep: [bulkJobUpkeep],
}

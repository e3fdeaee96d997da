import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundJob } from '../../../kernel/jobs/index.ts'
import type { Streams } from '../command-line.ts'
import type { JobReader, ShownJob } from './job-reader.ts'
import { progressLine } from './progress-line.ts'

const everyMilliseconds = 1000

/**
 * Waits until a job has ended or failed for good, and shows meanwhile how far it has come: in a terminal in one line that is
 * written over, elsewhere in a line for each change. Resolves to the job as it ended.
 */
export async function followJob(found: FoundJob, reader: JobReader, { err, columns }: Streams): Promise<ShownJob> {
  for (let last = ''; ; ) {
    const job = await reader.read(found)
    const line = progressLine(job, columns ?? 0)
    if (columns !== undefined) err(`\r\u001B[K${line}`)
    else if (line !== last) err(`${line}\n`)
    last = line
    if (job.state === 'ended' || job.state === 'failed') {
      if (columns !== undefined) err('\n')
      return job
    }
    await sleep(everyMilliseconds)
  }
}

import { bounds, cabinetPath, defineOperation } from '../../kernel/index.ts'
import { findJobs, readQueueState } from '../../kernel/jobs/index.ts'
import { countSchema, listSchema, objectSchema } from '../../kernel/schema/index.ts'

/** `GET …/jobs/line`: the jobs of the organization that wait or run, and whether there is a worker at all (contract section 18). */
export const jobLine = defineOperation({
  id: 'jobs.line',
  method: 'GET',
  path: cabinetPath('/jobs/line'),
  summary: 'Read which jobs wait, in their order',
  description: 'The first ones run. Without a worker nothing begins.',
  scopes: [],
  answer: {
    data: objectSchema('JobLine', {
      workers: countSchema('The workers of the server that are alive.', 1),
      ids: listSchema({ type: 'string' }, 'The ids of jobs, in the order in which they are due.'),
    }),
  },
  async execute({ caller }, { database }) {
    const [found, { workers }] = await Promise.all([
      findJobs(database, { organizationId: caller.organization.id }),
      readQueueState(database),
    ])
    const alive = workers.filter(({ secondsSinceBeat }) => secondsSinceBeat * 1000 < bounds.workerSilence.most)
    const due = found.filter(({ state }) => state === 'running' || state === 'waiting')
    const line = due.toSorted((one, other) => Number(other.state === 'running') - Number(one.state === 'running'))
    return { status: 200, data: { workers: alive.length, ids: line.map(({ id }) => id) }, meta: {} }
  },
})

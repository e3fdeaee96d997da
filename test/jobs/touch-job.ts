import { randomUUID } from 'node:crypto'
import { type Actor, type Mutation, mutate, Refusal, unattended, upserting } from '../../server/src/kernel/index.ts'
import { defineJob, type JobContext, type JobRequest } from '../../server/src/kernel/jobs/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { nestedResources, resources } from '../../server/src/modules.ts'
import type { TestOrganization } from '../support/organization.ts'

const chunk = 20

/** Where the targets stand that are not done yet. */
export const createTargets = `
  create table if not exists test_targets (
    organization_id uuid not null, job_id uuid not null, place integer not null,
    primary key (organization_id, job_id, place))`

const selectTargets = statement(
  'test_select_targets',
  `select t.place from test_targets t where t.organization_id = $1 and t.job_id = $2 order by t.place limit ${chunk}`,
)
const takeTargets = statement(
  'test_take_targets',
  'delete from test_targets t where t.organization_id = $1 and t.job_id = $2 and t.place = any($3::integer[]) returning t.place',
)
const insertTargets = statement(
  'test_insert_targets',
  'insert into test_targets select $1::uuid, $2::uuid, n from generate_series(1, $3::integer) as n',
)

/** What a chunk writes: a contact by its key, which begins with the id of the job. */
const keyOf = (jobId: string, place: number) => `${jobId}-${place}`

/** A job that writes one contact for each of its targets, twenty in a chunk, as a bulk job or an import does. */
export const touchJob = defineJob({
  name: 'test_touch',
  async run(payload, context) {
    const [jobId, applicationId] = [String(payload.jobId), String(payload.applicationId)]
    const rows = await context.services.database.query(selectTargets, [context.organizationId, jobId])
    const places = rows.map(({ place }) => Number(place))
    if (places.length === 0) return 'done'
    const outcome = await mutate(
      mutationOf(jobId, places, context),
      actorOf(jobId, applicationId, context.organizationId),
      context.services,
    )
    if (outcome instanceof Refusal) throw new Error(outcome.message)
    return 'again'
  },
})

/** Puts targets beside the queue, and gives the job that works through them. */
export async function targetsOf(
  database: Database,
  { id, applicationId }: Pick<TestOrganization, 'id' | 'applicationId'>,
  count: number,
): Promise<JobRequest> {
  const jobId = randomUUID()
  await database.query(insertTargets, [id, jobId, count])
  return { job: touchJob, payload: { jobId, applicationId }, key: jobId }
}

const countTargets = statement(
  'test_count_targets',
  'select count(*)::integer as count from test_targets where organization_id = $1',
)

/** How many targets of an organization are not done yet. */
export async function targetsLeft(database: Database, organizationId: string): Promise<number> {
  return Number((await database.query(countTargets, [organizationId]))[0]?.count)
}

function mutationOf(jobId: string, places: readonly number[], { organizationId }: JobContext): Mutation<null> {
  const contacts = resources.filter(({ kind }) => kind === 'contact')
  const changes = contacts.flatMap(contact =>
    places.map(place => {
      const input = contact.input.upsert.parse({ externalId: keyOf(jobId, place), firstName: `Number ${place}` })
      return upserting(contact, Object(input.value), { resources, nestedResources })
    }),
  )
  return {
    runsAlone: 'statements',
    needs(needs, work, configuration) {
      for (const change of changes) change.needs(needs, work, configuration)
    },
    decide(work, write) {
      for (const change of changes) {
        const step = change.decide('', work, write)
        if (step instanceof Refusal) return step
        if (step.effect !== null) work.apply(step.effect)
      }
      return {
        result: null,
        // Targets that another worker has done meanwhile are gone.
        async sweep(transaction) {
          const taken = await transaction.query(takeTargets, [organizationId, jobId, places])
          if (taken.length !== places.length) throw new Error('another worker has done this chunk')
          return {}
        },
      }
    },
  }
}

function actorOf(jobId: string, applicationId: string, organizationId: string): Actor {
  return {
    organizationId,
    author: { type: 'bulk_job', uuid: null, jobId },
    applicationId,
    requestId: randomUUID(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: false,
    reader: unattended(organizationId),
  }
}

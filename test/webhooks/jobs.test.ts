import { expect, it } from 'vitest'
import { admitted, doneTasks } from '../conformance/support/bulk-jobs.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aCalledServer, type CalledServer } from '../support/called-server.ts'
import { runJobs } from '../support/jobs.ts'
import { aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

const receiving = () => aCalledServer((_, response) => response.end())
const kindsOf = ({ received }: CalledServer) => received.map(each => eventIn(each).type)

/** A job that changes one task: its end is the third event. Returns its id. */
async function aFinishedJob(): Promise<string> {
  const id = await admitted(around.organization.client, doneTasks([await aRecord('task', around.organization)]))
  await runJobs(around.api)
  return id
}

it('a webhook that names the ends of jobs is told of them as the feed tells them', async () => {
  const receiver = await receiving()
  const id = await aWebhook(around, receiver, { kinds: ['bulk_job.*', 'import.failed'] })
  const { data: position } = await around.organization.client.get('/changes/cursor')
  startDelivery(around.api)
  const job = await aFinishedJob()
  await untilPosition(around, id, { seq: 3 })
  const { items } = await around.organization.client.get(
    `/changes?after=${String(position.cursor)}&resourceTypes=bulk_job`,
  )
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
    { type: 'bulk_job.completed', timestamp: items[0]?.occurredAt, data: items[0] },
  ])
  expect(items[0]).toMatchObject({ resourceId: job, operation: 'completed', status: 'completed', version: null })
})

it('all events are those about records; the ends of jobs have to be named', async () => {
  const [all, named] = [await receiving(), await receiving()]
  const allId = await aWebhook(around, all, { kinds: ['*'] })
  const namedId = await aWebhook(around, named, { kinds: ['*', 'bulk_job.failed', 'bulk_job.completed'] })
  startDelivery(around.api)
  await aFinishedJob()
  await untilPosition(around, allId, { seq: 3 })
  await untilPosition(around, namedId, { seq: 3 })
  expect(kindsOf(all)).toEqual(['task.created', 'task.updated'])
  expect(kindsOf(named).toSorted()).toEqual(['bulk_job.completed', 'task.created', 'task.updated'])
})

it('the end of a job is left out without the scope of its type', async () => {
  const receiver = await receiving()
  const id = await aWebhook(around, receiver, {
    kinds: ['bulk_job.*', 'task.created'],
    scopes: ['crm_tasks_read', 'crm_import_manage'],
  })
  startDelivery(around.api)
  await aFinishedJob()
  await untilPosition(around, id, { seq: 3 })
  expect(kindsOf(receiver)).toEqual(['task.created'])
})

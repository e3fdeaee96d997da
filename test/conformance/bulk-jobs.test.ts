import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { aRecord, outcome, unknownId } from './support/requests.ts'

const given = useApi({ ownDatabase: true })

/** Asks for a job, and lets it run to its end. */
async function finished(organization: TestOrganization, body: JsonObject): Promise<JsonObject> {
  const { status, data, body: answer } = await organization.client.post('/bulk-jobs', body)
  expect({ status, answer }).toMatchObject({ status: 202 })
  await runJobs(given.api)
  return (await organization.client.get(`/bulk-jobs/${data.id}`)).data
}

it('changes its targets', async () => {
  const organization = await given.organization()
  const { client, stages, lostReason } = organization
  const one = await aRecord('deal', organization)
  const other = await aRecord('deal', organization)
  const job = await finished(organization, {
    entityType: 'deal',
    action: 'move',
    targets: [{ id: one.id }, { externalId: other.externalId, expectedVersion: 7 }],
    changes: { stageUuid: stages.lost, lostReasonCategoryUuid: lostReason },
  })
  expect(job).toEqual({})
})

import { type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'
import { aRecord } from './requests.ts'

export type StageName = 'first' | 'second' | 'won' | 'lost'

/** A new deal in a stage of the default pipeline, with a reason where it is lost. */
export async function aDealIn(stage: StageName, organization: TestOrganization, members: JsonObject = {}) {
  const reason = stage === 'lost' ? { lostReasonCategoryUuid: organization.lostReason } : {}
  return aRecord('deal', organization, { stageUuid: organization.stages[stage], ...reason, ...members })
}

/** Moves deals of the organization. */
export function mover({ client }: TestOrganization) {
  return (id: unknown, expectedVersion: number, members: JsonObject) =>
    client.patch(`/deals/${id}/move`, { expectedVersion, ...members })
}

/** Another pipeline of the organization, with an open and a lost stage, a lost reason of its own and an inactive one. */
export async function anotherPipeline(
  given: Given,
  organization: TestOrganization,
  { lostReasonRequired = true }: { lostReasonRequired?: boolean } = {},
) {
  const [pipelineId, open, lost, reason, inactive] = [newId(), newId(), newId(), newId(), newId()]
  const { id } = organization
  await given.sql(
    `insert into pipelines (organization_id, id, name, position, lost_reason_required, created_at)
     values ($1, $2, 'Renewals', 1, $3, now())`,
    [id, pipelineId, lostReasonRequired],
  )
  await given.sql(
    `insert into stages (organization_id, id, pipeline_id, name, type, position)
     values ($1, $2, $4, 'Due', 'open', 0), ($1, $3, $4, 'Gone', 'lost', 1)`,
    [id, open, lost, pipelineId],
  )
  await given.configure(
    organization,
    `insert into lost_reason_categories (organization_id, id, name, pipeline_id, active, position)
     values ($1, $2, 'Moved', $4, true, 1), ($1, $3, 'Old', null, false, 2)`,
    [id, reason, inactive, pipelineId],
  )
  return { pipelineId, open, lost, reason, inactive }
}

/** The event feed of a deal, oldest first, as it is stored. */
export function dealEvents(given: Given, id: unknown) {
  const text = 'select kind, deal_version, data from deal_events where deal_id = $1 order by created_at, id'
  return given.sql(text, [id])
}

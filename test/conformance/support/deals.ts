import { type JsonObject, newId } from '../../../src/kernel/schema/index.ts'
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

/** Copies of the organization's newest linked deal, with its company and contact. */
export async function copyDeals(given: Given, { id }: TestOrganization, count: number): Promise<void> {
  await given.sql(
    `with source as (
       select d from deals d where d.organization_id = $1
          and exists (select from deal_contacts c where c.organization_id = $1 and c.deal_id = d.id) limit 1),
     copies as (
       insert into deals
       select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'rank', 'a' || number))).*
         from source, generate_series(1, $2::integer) number
       returning id),
     companies as (
       insert into deal_companies select $1, copies.id, l.company_id, l.position from copies, deal_companies l, source
        where l.organization_id = $1 and l.deal_id = (source.d).id)
     insert into deal_contacts select $1, copies.id, l.contact_id, l.position from copies, deal_contacts l, source
      where l.organization_id = $1 and l.deal_id = (source.d).id`,
    [id, count],
  )
}

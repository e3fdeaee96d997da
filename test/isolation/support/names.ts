import { newId } from '../../../src/kernel/schema/index.ts'
import { aChecklist } from '../../conformance/support/checklists.ts'
import { aPart, type Part } from '../../conformance/support/parts.ts'
import { aRecord, type Kind } from '../../conformance/support/requests.ts'
import type { Answer, CallOptions } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'

/** Everything of one organization that a request can name; or things of the same form that exist nowhere. */
export interface Names {
  readonly ids: Readonly<Record<Kind, string>>
  readonly keys: Readonly<Record<Kind, string>>
  /** Below a task that is not the one of the ids. */
  readonly checklist: string
  readonly checklistItem: string
  /** Below the deal of the ids. */
  readonly parts: Readonly<Record<Part, string>>
  readonly stage: string
  readonly pipeline: string
  readonly reason: string
  readonly operator: string
}

export async function namesOf(organization: TestOrganization): Promise<Names> {
  const contact = await aRecord('contact', organization)
  const company = await aRecord('company', organization)
  const deal = await aRecord('deal', organization)
  const task = await aRecord('task', organization)
  const checklist = await aChecklist(organization, 1)
  const added = (part: Part) => organization.client.post(`/deals/${deal.id}/${part}`, aPart[part])
  return {
    parts: { activities: String((await added('activities')).data.id), items: String((await added('items')).data.id) },
    checklist: checklist.id,
    checklistItem: String(checklist.items[0]),
    ids: { contact: String(contact.id), company: String(company.id), deal: String(deal.id), task: String(task.id) },
    keys: {
      contact: String(contact.externalId),
      company: String(company.externalId),
      deal: String(deal.externalId),
      task: String(task.externalId),
    },
    stage: organization.stages.second,
    pipeline: organization.pipelineId,
    reason: organization.lostReason,
    operator: organization.operator,
  }
}

export const nowhere = (): Names => ({
  ids: { contact: newId(), company: newId(), deal: newId(), task: newId() },
  keys: {
    contact: `contact-${newId()}`,
    company: `company-${newId()}`,
    deal: `deal-${newId()}`,
    task: `task-${newId()}`,
  },
  ...{ checklist: newId(), checklistItem: newId(), parts: { activities: newId(), items: newId() } },
  ...{ stage: newId(), pipeline: newId(), reason: newId(), operator: newId() },
})

/** A request of an organization that names something. */
type Call = (organization: TestOrganization, names: Names, options?: CallOptions) => Promise<Answer>
/** An operation, what of it is foreign, what is answered, and the request. */
export type Case = readonly [operation: string, what: string, expected: string, call: Call]

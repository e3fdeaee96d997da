import { type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { type PartyKind } from '../../conformance/support/activities.ts'
import { agentOf, productOf } from '../../conformance/support/agent-requests.ts'
import { admitted, doneTasks } from '../../conformance/support/bulk-jobs.ts'
import { aChecklist } from '../../conformance/support/checklists.ts'
import { attach } from '../../conformance/support/files.ts'
import type { Given } from '../../conformance/support/given.ts'
import { csv, upload } from '../../conformance/support/imports.ts'
import { anIntegration } from '../../conformance/support/integrations.ts'
import { aPart, type Part } from '../../conformance/support/parts.ts'
import { aRecord, type Kind, kinds, plurals } from '../../conformance/support/requests.ts'
import { aTag } from '../../conformance/support/tags.ts'
import { aBase, putFile } from '../../knowledge/support/knowledge.ts'
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
  readonly tag: string
  readonly tagKey: string
  readonly bulkJob: string
  readonly export: string
  readonly import: string
  /** The channel has an AI operator, and the set of products a product. */
  readonly channel: string
  readonly agent: string
  readonly productSet: string
  readonly product: string
  readonly apiIntegration: string
  readonly knowledgeBase: string
  readonly knowledgeFile: string
  /** Attached to the records of the ids. */
  readonly files: Readonly<Record<Kind, string>>
  /** Below the contact and the company of the ids. */
  readonly activities: Readonly<Record<PartyKind, string>>
}

const ofEach = (give: (kind: Kind) => string): Readonly<Record<Kind, string>> => ({
  contact: give('contact'),
  company: give('company'),
  deal: give('deal'),
  task: give('task'),
})

export async function namesOf(given: Given, organization: TestOrganization): Promise<Names> {
  const records = new Map<Kind, JsonObject>()
  for (const kind of kinds) records.set(kind, await aRecord(kind, organization))
  const checklist = await aChecklist(organization, 1)
  const deal = records.get('deal')
  const added = (part: Part) => organization.client.post(`/deals/${deal?.id}/${part}`, aPart[part])
  const noted = async (kind: PartyKind) => {
    const path = `/${plurals[kind]}/${records.get(kind)?.id}/activities`
    return String((await organization.client.post(path, aPart.activities)).data.id)
  }
  const attached = async (kind: Kind) => {
    const owner = `/${plurals[kind]}/${records.get(kind)?.id}`
    const { version } = (await organization.client.get(owner)).data
    return String((await attach(organization.client, owner, Number(version))).items[0]?.id)
  }
  const tagKey = `tag-${organization.id}`
  const { set, product } = await productOf(organization, { id: newId() })
  const knowledgeBase = await aBase(organization.client)
  const knowledgeFile = newId()
  await putFile(organization.client, {
    base: knowledgeBase,
    id: knowledgeFile,
    name: 'faq.txt',
    content: 'Tea is hot.',
  })
  return {
    ids: ofEach(kind => String(records.get(kind)?.id)),
    keys: ofEach(kind => String(records.get(kind)?.externalId)),
    parts: { activities: String((await added('activities')).data.id), items: String((await added('items')).data.id) },
    checklist: checklist.id,
    checklistItem: String(checklist.items[0]),
    stage: organization.stages.second,
    pipeline: organization.pipelineId,
    reason: organization.lostReason,
    operator: organization.operator,
    tag: await aTag(given, organization, { key: tagKey }),
    export: String((await organization.client.post('/exports', { type: 'contacts' })).data.id),
    tagKey,
    bulkJob: await admitted(organization.client, doneTasks([records.get('task') ?? {}])),
    channel: organization.channel,
    agent: String((await agentOf(organization, { productSetIds: [set.id] })).id),
    productSet: String(set.id),
    product: String(product.id),
    apiIntegration: String((await anIntegration(organization)).id),
    knowledgeBase,
    knowledgeFile,
    import: String((await upload(organization.client, csv(['First name'], ['Anna']))).data.id),
    activities: { contact: await noted('contact'), company: await noted('company') },
    files: {
      contact: await attached('contact'),
      company: await attached('company'),
      deal: await attached('deal'),
      task: await attached('task'),
    },
  }
}

export const nowhere = (): Names => ({
  ids: ofEach(() => newId()),
  keys: ofEach(kind => `${kind}-${newId()}`),
  checklist: newId(),
  checklistItem: newId(),
  parts: { activities: newId(), items: newId() },
  stage: newId(),
  pipeline: newId(),
  reason: newId(),
  operator: newId(),
  tag: newId(),
  tagKey: newId(),
  bulkJob: newId(),
  export: newId(),
  import: newId(),
  channel: newId(),
  agent: newId(),
  productSet: newId(),
  product: newId(),
  apiIntegration: newId(),
  knowledgeBase: newId(),
  knowledgeFile: newId(),
  activities: { contact: newId(), company: newId() },
  files: ofEach(() => newId()),
})

/** A request of an organization that names something. */
type Call = (organization: TestOrganization, names: Names, options?: CallOptions) => Promise<Answer>
/** An operation, what of it is foreign, what is answered, and the request. */
export type Case = readonly [operation: string, what: string, expected: string, call: Call]

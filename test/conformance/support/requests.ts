import type { Operation } from '../../../server/src/kernel/index.ts'
import { isObject, type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../../support/builders.ts'
import type { Answer, CallOptions, Client } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { activityRequests } from './activity-requests.ts'
import { agentRequests } from './agent-requests.ts'
import { aChecklist, aTaskWithChecklists } from './checklists.ts'
import { fileRequests } from './file-requests.ts'
import type { Form } from './forms.ts'
import { importRequests } from './import-requests.ts'
import { integrationRequests } from './integrations.ts'
import { jobRequests } from './job-requests.ts'
import { knowledgeRequests } from './knowledge-requests.ts'
import { aChangeOf, aPart, type Part } from './parts.ts'

/** One request, as an integration would send it. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body?: JsonObject
  /** Instead of a JSON body. */
  readonly form?: Form
}

type Unsent = Omit<ApiRequest, 'method'>
type Build = (organization: TestOrganization) => Promise<Unsent>
export type Kind = 'contact' | 'company' | 'deal' | 'task'

export const kinds: readonly Kind[] = ['contact', 'company', 'deal', 'task']
/** Kinds with batch routes. */
export const batchKinds = ['contact', 'deal', 'task'] as const
export const plurals: Readonly<Record<Kind, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  task: 'tasks',
}
/** The member that names the operator in charge. */
export const inCharge: Readonly<Record<Kind, string>> = {
  contact: 'ownerUuid',
  company: 'ownerUuid',
  deal: 'ownerUuid',
  task: 'assigneeUuid',
}
/** A change of each kind that its PATCH accepts, and that needs no scope beyond the write scope. */
export const aChange: Readonly<Record<Kind, JsonObject>> = {
  contact: { jobTitle: 'Head of purchasing' },
  company: { industry: 'Furniture' },
  deal: { description: 'They want them by May' },
  task: { description: 'Ask for Olga' },
}

/** The body of a valid create request; its key is new. */
export async function aBody(kind: Kind, organization: TestOrganization, members: JsonObject = {}): Promise<JsonObject> {
  if (kind === 'contact') return aContact(members)
  if (kind === 'company') return aCompany(members)
  if (kind === 'task') return aTask(members)
  const party = 'companies' in members || 'contacts' in members
  return aDeal(party ? members : { companies: [{ id: await partyOf(organization) }], ...members })
}

/** A record, created through the API. */
export async function aRecord(
  kind: Kind,
  organization: TestOrganization,
  members: JsonObject = {},
): Promise<JsonObject> {
  const answer = await organization.client.post(`/${plurals[kind]}`, await aBody(kind, organization, members))
  if (answer.status !== 201) throw new Error(`no ${kind} was created: ${JSON.stringify(answer.body)}`)
  return answer.data
}

const parties = new WeakMap<TestOrganization, Promise<string>>()

/** The company that the deals of an organization stand for, unless a test says otherwise. */
function partyOf(organization: TestOrganization): Promise<string> {
  const known = parties.get(organization)
  if (known !== undefined) return known
  const made = aRecord('company', organization, { name: 'The party of the deals' }).then(({ id }) => String(id))
  parties.set(organization, made)
  return made
}

/** A new part of a new deal: where it is, and where those beside it are. */
export async function partOf(organization: TestOrganization, part: Part, members: JsonObject = {}) {
  const deal = await aRecord('deal', organization)
  const collection = `/deals/${deal.id}/${part}`
  const { status, data, body } = await organization.client.post(collection, { ...aPart[part], ...members })
  if (status !== 201) throw new Error(`nothing was added to ${part}: ${JSON.stringify(body)}`)
  return { deal, collection, path: `${collection}/${data.id}`, record: data }
}

const list =
  (kind: Kind): Build =>
  async () => ({ path: `/${plurals[kind]}` })

const get =
  (kind: Kind): Build =>
  async organization => ({ path: `/${plurals[kind]}/${(await aRecord(kind, organization)).id}` })

const create =
  (kind: Kind, route = ''): Build =>
  async organization => ({ path: `/${plurals[kind]}${route}`, body: await aBody(kind, organization) })

const update =
  (kind: Kind): Build =>
  async organization => ({
    path: `/${plurals[kind]}/${(await aRecord(kind, organization)).id}`,
    body: { expectedVersion: 1, ...aChange[kind] },
  })

const remove =
  (kind: Kind): Build =>
  async organization => ({ path: `/${plurals[kind]}/${(await aRecord(kind, organization)).id}?expectedVersion=1` })

const deletePreview =
  (kind: Kind): Build =>
  async organization => ({ path: `/${plurals[kind]}/${(await aRecord(kind, organization)).id}/delete/preview` })

const deleteCommit =
  (kind: Kind, body: JsonObject): Build =>
  async organization => ({ path: `/${plurals[kind]}/${(await aRecord(kind, organization)).id}/delete/commit`, body })

/** Two records that agree in everything but their keys, and can be merged. */
async function aPair(kind: Kind, organization: TestOrganization) {
  const [primary, secondary] = [await aRecord(kind, organization), await aRecord(kind, organization)]
  return { primaryId: primary.id, secondaryId: secondary.id }
}

const mergePreview =
  (kind: Kind): Build =>
  async organization => ({ path: `/${plurals[kind]}/merge/preview`, body: await aPair(kind, organization) })

const mergeCommit =
  (kind: Kind): Build =>
  async organization => ({
    path: `/${plurals[kind]}/merge/commit`,
    body: {
      ...(await aPair(kind, organization)),
      expectedPrimaryVersion: 1,
      expectedSecondaryVersion: 1,
      fieldResolutions: {},
      externalIdConflictResolution: 'keep_primary',
    },
  })

const batchGet =
  (kind: Kind): Build =>
  async organization => {
    const { id, externalId } = await aRecord(kind, organization)
    return { path: `/${plurals[kind]}/batch/get`, body: { items: [{ id }, { externalId }] } }
  }

const batchUpsert =
  (kind: Kind): Build =>
  async organization => ({
    path: `/${plurals[kind]}/batch/upsert`,
    body: { items: [await aBody(kind, organization), await aBody(kind, organization)] },
  })

const listTags =
  (kind: Kind): Build =>
  async organization => {
    const { path, body } = await replaceTags(kind)(organization)
    await organization.client.put(path, body)
    return { path }
  }

const replaceTags =
  (kind: Kind): Build =>
  async organization => ({
    path: `/${plurals[kind]}/${(await aRecord(kind, organization)).id}/tags`,
    body: { expectedVersion: 1, tags: [{ id: organization.tag }] },
  })

const addPart =
  (part: Part): Build =>
  async organization => ({ path: `/deals/${(await aRecord('deal', organization)).id}/${part}`, body: aPart[part] })

const listParts =
  (part: Part): Build =>
  async organization => ({ path: (await partOf(organization, part)).collection })

const updatePart =
  (part: Part): Build =>
  async organization => ({
    path: (await partOf(organization, part)).path,
    body: { expectedVersion: 1, ...aChangeOf[part] },
  })

const removePart =
  (part: Part): Build =>
  async organization => ({ path: `${(await partOf(organization, part)).path}?expectedVersion=1` })

const idOfNew = (kind: Kind) => async (organization: TestOrganization) => String((await aRecord(kind, organization)).id)

/** The contacts of a new company: one by id, one by key. */
const replacement = async (organization: TestOrganization) => {
  const { id } = await aRecord('contact', organization)
  const { externalId } = await aRecord('contact', organization)
  const company = await aRecord('company', organization)
  return {
    path: `/companies/${company.id}/contacts`,
    body: { expectedVersion: 1, contacts: [{ id, role: 'Buyer' }, { externalId }] },
  }
}

/** A valid request for each operation, by operation id; executed, it succeeds. */
export const requestBuilders: Readonly<Record<string, Build>> = {
  'contacts.list': list('contact'),
  'contacts.get': get('contact'),
  'contacts.create': create('contact'),
  'contacts.update': update('contact'),
  'contacts.remove': remove('contact'),
  'contacts.deletePreview': deletePreview('contact'),
  'contacts.deleteCommit': deleteCommit('contact', { mode: 'full', expectedVersion: 1 }),
  'contacts.mergePreview': mergePreview('contact'),
  'contacts.mergeCommit': mergeCommit('contact'),
  'contacts.upsert': create('contact', '/upsert'),
  'contacts.tags.list': listTags('contact'),
  'contacts.tags.replace': replaceTags('contact'),
  'contacts.batchGet': batchGet('contact'),
  'contacts.batchUpsert': batchUpsert('contact'),
  ...activityRequests('contacts', idOfNew('contact')),
  ...fileRequests('contacts', idOfNew('contact')),
  'companies.list': list('company'),
  'companies.get': get('company'),
  'companies.create': create('company'),
  'companies.update': update('company'),
  'companies.upsert': create('company', '/upsert'),
  'companies.deletePreview': deletePreview('company'),
  'companies.deleteCommit': deleteCommit('company', { expectedVersion: 1 }),
  'companies.mergePreview': mergePreview('company'),
  'companies.mergeCommit': mergeCommit('company'),
  'companies.tags.list': listTags('company'),
  'companies.tags.replace': replaceTags('company'),
  'companies.contacts.list': async organization => {
    const { path, body } = await replacement(organization)
    await organization.client.put(path, body)
    return { path }
  },
  'companies.contacts.replace': replacement,
  ...activityRequests('companies', idOfNew('company')),
  ...fileRequests('companies', idOfNew('company')),
  'deals.list': list('deal'),
  'deals.get': get('deal'),
  'deals.create': create('deal'),
  'deals.update': update('deal'),
  'deals.move': async organization => ({
    path: `/deals/${(await aRecord('deal', organization)).id}/move`,
    body: { expectedVersion: 1, stageUuid: organization.stages.second },
  }),
  'deals.remove': remove('deal'),
  'deals.upsert': create('deal', '/upsert'),
  'deals.tags.list': listTags('deal'),
  'deals.tags.replace': replaceTags('deal'),
  'deals.batchGet': batchGet('deal'),
  'deals.batchUpsert': batchUpsert('deal'),
  'deals.events.list': async organization => ({ path: `/deals/${(await aRecord('deal', organization)).id}/events` }),
  'deals.activities.list': listParts('activities'),
  'deals.activities.create': addPart('activities'),
  'deals.activities.update': updatePart('activities'),
  'deals.activities.remove': removePart('activities'),
  'deals.items.list': listParts('items'),
  'deals.items.create': addPart('items'),
  'deals.items.update': updatePart('items'),
  'deals.items.remove': removePart('items'),
  ...fileRequests('deals', idOfNew('deal')),
  'tasks.list': list('task'),
  'tasks.get': get('task'),
  'tasks.create': create('task'),
  'tasks.update': update('task'),
  'tasks.remove': remove('task'),
  'tasks.upsert': create('task', '/upsert'),
  'tasks.tags.list': listTags('task'),
  'tasks.tags.replace': replaceTags('task'),
  'tasks.batchGet': batchGet('task'),
  'tasks.batchUpsert': batchUpsert('task'),
  'tasks.checklists.list': async organization => ({ path: (await aChecklist(organization, 1)).checklists }),
  'tasks.checklists.create': async organization => ({
    path: (await aTaskWithChecklists(organization)).checklists,
    body: { title: 'Before the call' },
  }),
  'tasks.checklists.update': async organization => ({
    path: (await aChecklist(organization)).path,
    body: { expectedVersion: 1, title: 'After the call' },
  }),
  'tasks.checklists.remove': async organization => ({
    path: `${(await aChecklist(organization)).path}?expectedVersion=1`,
  }),
  'tasks.checklists.items.create': async organization => ({
    path: `${(await aChecklist(organization)).path}/items`,
    body: { text: 'Look up the last offer' },
  }),
  'tasks.checklists.items.reorder': async organization => {
    const { path, items } = await aChecklist(organization, 2)
    return { path: `${path}/items/reorder`, body: { itemIds: items.toReversed() } }
  },
  'tasks.checklists.items.update': async organization => {
    const { path, items } = await aChecklist(organization, 1)
    return { path: `${path}/items/${items[0]}`, body: { expectedVersion: 1, isDone: true } }
  },
  'tasks.checklists.items.remove': async organization => {
    const { path, items } = await aChecklist(organization, 1)
    return { path: `${path}/items/${items[0]}?expectedVersion=1` }
  },
  ...fileRequests('tasks', idOfNew('task')),
  'changes.cursor': async () => ({ path: '/changes/cursor' }),
  'changes.list': async organization => {
    const { cursor } = (await organization.client.get('/changes/cursor')).data
    await aRecord('contact', organization)
    return { path: `/changes?after=${cursor}` }
  },
  'audit.list': async organization => {
    await aRecord('contact', organization)
    return { path: '/audit' }
  },
  'search.query': async organization => {
    await aRecord('contact', organization, { lastName: 'Petrova' })
    return { path: '/search?q=petrova' }
  },
  'capabilities.get': async () => ({ path: '/capabilities' }),
  'analytics.summary': async organization => {
    await aRecord('deal', organization)
    return { path: `/analytics/summary?pipelineId=${organization.pipelineId}` }
  },
  ...knowledgeRequests,
  ...agentRequests,
  ...jobRequests,
  ...importRequests,
  ...integrationRequests,
}

/** Operations with their routes, as titles of tests. */
export function named(operations: readonly Operation[]): (readonly [string, Operation])[] {
  return operations.map(operation => [`${operation.method} ${operation.path}`, operation] as const)
}

/** A valid request for the operation, made for this organization. */
export async function aRequest({ id, method }: Operation, organization: TestOrganization): Promise<ApiRequest> {
  const build = requestBuilders[id]
  if (build === undefined) throw new Error(`no request is known for ${id}: add one to requestBuilders`)
  return { method, ...(await build(organization)) }
}

export function send(
  client: Client,
  { method, path, body, form }: ApiRequest,
  options: CallOptions = {},
): Promise<Answer> {
  const headers = { ...form?.headers, ...options.headers }
  return client.call(method, path, body, { ...form, ...options, headers })
}

/** The same request with a query parameter more. */
export function withQuery(request: ApiRequest, query: string): ApiRequest {
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${query}` }
}

/** The same request with other members in its body; undefined takes one away. */
export function withMembers(request: ApiRequest, members: JsonObject): ApiRequest {
  return { ...request, body: { ...request.body, ...members } }
}

/** The same request for another record: its id in the path is replaced, the first one unless told. */
export function withId(request: ApiRequest, id: string, place = 0): ApiRequest {
  const known = idsIn(request)[place]
  return known === undefined ? request : { ...request, path: request.path.replace(known, id) }
}

/** The ids in the path of a request. */
export function idsIn({ path }: ApiRequest): string[] {
  return [...path.matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu)].map(([id]) => id)
}

export const unknownId = newId()

/** Paths of the issues of a refusal. */
export function issuePaths({ details }: Answer): unknown[] {
  return Array.isArray(details.issues) ? details.issues.filter(isObject).map(({ path }) => path) : []
}

/** Rules of the issues of a refusal. */
export function issueRules({ details }: Answer): unknown[] {
  return Array.isArray(details.issues) ? details.issues.filter(isObject).map(({ rule }) => rule) : []
}

/** Status and code together, which is how clients tell refusals apart. */
export function outcome({ status, error }: Answer): string {
  return error.code === undefined ? String(status) : `${status} ${String(error.code)}`
}

import { describe, expect, it } from 'vitest'
import type { Scope } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { nestedResources, resources } from '../../server/src/modules.ts'
import { type Answer, type Client, objectOf } from '../support/client.ts'
import { allBut, useApi } from './support/given.ts'
import { aChangeOf, aPart, type Part, parts } from './support/parts.ts'
import { aBody, aRecord, inCharge, type Kind, kinds, partOf, plurals } from './support/requests.ts'

const given = useApi()

/** Every member that an answer shows to a token with all scopes (contract section 6). */
const members: Readonly<Record<Kind, readonly string[]>> = {
  contact: [
    ...['id', 'externalId', 'version', 'displayName', 'firstName', 'middleName', 'lastName', 'jobTitle'],
    ...['description', 'source', 'ownerUuid', 'contactData', 'customFields', 'tagIds'],
    ...['createdAt', 'updatedAt', 'createdByApplicationId', 'createdByUuid', 'updatedByUuid'],
  ],
  company: [
    ...['id', 'externalId', 'version', 'name', 'legalName', 'taxId', 'registrationNumber', 'industry'],
    ...['employeesCount', 'websites', 'description', 'source', 'ownerUuid', 'contactData', 'customFields', 'tagIds'],
    ...['createdAt', 'updatedAt', 'createdByApplicationId', 'createdByUuid', 'updatedByUuid'],
  ],
  deal: [
    ...['id', 'externalId', 'version', 'kind', 'title', 'description', 'amount', 'currency', 'itemsTotal'],
    ...['priority', 'ownerUuid', 'expectedCloseDate', 'pipelineId', 'stageUuid', 'status', 'rank'],
    ...['lostReasonCategoryUuid', 'lostReasonComment', 'stageChangedAt', 'closedAt', 'companies', 'companyIds'],
    ...['contacts', 'contactIds', 'itemsCount', 'activitiesCount', 'filesCount', 'customFields', 'tagIds'],
    ...['createdAt', 'updatedAt', 'createdByApplicationId', 'createdByUuid', 'updatedByUuid'],
  ],
  task: [
    ...['id', 'externalId', 'version', 'title', 'description', 'type', 'status', 'priority', 'assigneeUuid'],
    ...['startAt', 'dueDate', 'completedAt', 'isOverdue', 'dealId', 'contactId', 'companyId', 'checklistProgress'],
    ...['filesCount', 'customFields', 'tagIds'],
    ...['createdAt', 'updatedAt', 'createdByApplicationId', 'createdByUuid', 'updatedByUuid'],
  ],
}

/** What attachments of every kind have (contract section 6.8). */
const ofFiles = [
  ...['id', 'version', 'name', 'mimeType', 'sizeBytes', 'sha256', 'url', 'urlExpiresInSeconds'],
  ...['createdByUuid', 'applicationId', 'createdAt', 'updatedAt'],
]

const ofActivities = [
  ...['id', 'version', 'type', 'subject', 'body', 'direction', 'occurredAt', 'durationSeconds', 'outcome'],
  ...['authorUuid', 'applicationId', 'createdAt', 'updatedAt'],
]

/** The same for what belongs to records (contract sections 6.6 to 6.8, and 7). */
const nestedMembers: Readonly<Record<string, readonly string[]>> = {
  contact_activity: ['contactId', ...ofActivities],
  contact_file: ['contactId', ...ofFiles],
  company_activity: ['companyId', 'contactId', ...ofActivities],
  company_file: ['companyId', ...ofFiles],
  deal_activity: ['dealId', 'contactId', ...ofActivities],
  deal_item: [
    ...['id', 'version', 'dealId', 'name', 'sku', 'productId', 'unit', 'quantity', 'price', 'discountType', 'discount'],
    ...['taxMode', 'taxRate', 'position', 'subtotal', 'discountAmount', 'taxAmount', 'total', 'createdAt', 'updatedAt'],
  ],
  deal_file: ['dealId', ...ofFiles],
  task_file: ['taskId', ...ofFiles],
  company_contact: ['contactId', 'isPrimary', 'role', 'position', 'anonymized'],
  checklist: ['id', 'version', 'taskId', 'title', 'position', 'items', 'createdAt', 'updatedAt'],
  checklist_item: [
    ...['id', 'version', 'checklistId', 'text', 'isDone', 'doneAt', 'doneByUuid', 'position'],
    ...['createdAt', 'updatedAt'],
  ],
}

interface Projection {
  readonly name: string
  readonly scope: Scope
  readonly hides: Readonly<Partial<Record<Kind, readonly string[]>>>
}

const ofEveryKind = (members: readonly string[]) => Object.fromEntries(kinds.map(kind => [kind, members]))
const projections: readonly Projection[] = [
  {
    name: 'contact_data',
    scope: 'crm_contact_data_read',
    hides: { contact: ['contactData'], company: ['contactData'] },
  },
  { name: 'amounts', scope: 'crm_amounts_read', hides: { deal: ['amount', 'itemsTotal'] } },
  {
    name: 'custom_fields',
    scope: 'crm_custom_fields_read',
    hides: ofEveryKind(['customFields']),
  },
  { name: 'operators', scope: 'crm_operators_read', hides: ofEveryKind(['createdByUuid', 'updatedByUuid']) },
  { name: 'tags', scope: 'crm_tags_read', hides: ofEveryKind(['tagIds']) },
]

/** How one record can be shown: by each ability that answers records. */
const views: Readonly<Record<string, (client: Client, kind: Kind) => Promise<[JsonObject, Answer]>>> = {
  async get(client, kind) {
    const { id } = await aRecord(kind, await given.shared())
    return single(await client.get(`/${plurals[kind]}/${id}`))
  },
  async list(client, kind) {
    const { externalId } = await aRecord(kind, await given.shared())
    const answer = await client.get(`/${plurals[kind]}?externalId=${externalId}`)
    return [objectOf(answer.items[0]), answer]
  },
  async create(client, kind) {
    return single(await client.post(`/${plurals[kind]}`, await aBody(kind, await given.shared())))
  },
  async update(client, kind) {
    const { id } = await aRecord(kind, await given.shared())
    return single(await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, description: 'new' }))
  },
  async 'no-op update'(client, kind) {
    const { id } = await aRecord(kind, await given.shared())
    return single(await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1 }))
  },
  async upsert(client, kind) {
    return single(await client.post(`/${plurals[kind]}/upsert`, await aBody(kind, await given.shared())))
  },
}

const batchViews: typeof views = {
  async 'batch get'(client, kind) {
    const { id } = await aRecord(kind, await given.shared())
    return element(await client.post(`/${plurals[kind]}/batch/get`, { items: [{ id }] }))
  },
  async 'batch upsert'(client, kind) {
    const items = [await aBody(kind, await given.shared())]
    return element(await client.post(`/${plurals[kind]}/batch/upsert`, { items }))
  },
}

function single(answer: Answer): [JsonObject, Answer] {
  return [answer.data, answer]
}

function element(answer: Answer): [JsonObject, Answer] {
  return [objectOf(answer.items[0]?.data), answer]
}

const cases = kinds.flatMap(kind =>
  Object.entries(kind === 'company' ? views : { ...views, ...batchViews }).map(
    ([view, show]) => [kind, view, show] as const,
  ),
)

describe.each(cases)('a %s shown by %s', (kind, _, show) => {
  it('has every declared member and no other, null where it is empty', async () => {
    const [record, { meta }] = await show((await given.shared()).client, kind)
    expect(Object.keys(record).toSorted()).toEqual([...members[kind]].toSorted())
    expect(Object.values(record)).not.toContain(undefined)
    expect(meta.redacted).toBeUndefined()
  })

  it.each(projections)(
    'lacks the members that $scope protects, and says so in meta.redacted',
    async ({ name, scope, hides }) => {
      const hidden = hides[kind] ?? []
      const client = await (await given.shared()).token(allBut(scope))
      const [record, { meta }] = await show(client, kind)
      const shown = members[kind].filter(member => !hidden.includes(member))
      expect(Object.keys(record).toSorted()).toEqual(shown.toSorted())
      expect(meta.redacted).toEqual(hidden.length === 0 ? undefined : [name])
    },
  )

  it('lacks all of it for a token without any of these scopes', async () => {
    const client = await (await given.shared()).token(allBut(...projections.map(({ scope }) => scope)))
    const [record, { meta }] = await show(client, kind)
    const concerned = projections.filter(({ hides }) => hides[kind] !== undefined)
    const hidden = new Set(concerned.flatMap(({ hides }) => hides[kind] ?? []))
    expect(Object.keys(record).toSorted()).toEqual(members[kind].filter(member => !hidden.has(member)).toSorted())
    expect(Array.isArray(meta.redacted) && meta.redacted.toSorted()).toEqual(
      concerned.map(({ name }) => name).toSorted(),
    )
  })
})

it('shows companyIds and contactIds of a deal without the read scopes of companies and contacts', async () => {
  const organization = await given.shared()
  const { id } = await aRecord('deal', organization)
  const client = await organization.token(['crm_deals_read'])
  const { data } = await client.get(`/deals/${id}`)
  expect([data.companyIds, data.contactIds]).toEqual([[expect.any(String)], []])
})

it.each(kinds)('keeps who is in charge of a %s without crm_operators_read: it is a business field', async kind => {
  const organization = await given.shared()
  const { id } = await aRecord(kind, organization, { [inCharge[kind]]: organization.operator })
  const client = await organization.token(allBut('crm_operators_read'))
  expect((await client.get(`/${plurals[kind]}/${id}`)).data[inCharge[kind]]).toBe(organization.operator)
})

it('shows the references of a task without the read scopes of deals, contacts and companies', async () => {
  const organization = await given.shared()
  const deal = await aRecord('deal', organization)
  const contact = await aRecord('contact', organization)
  const company = await aRecord('company', organization)
  const members = { deal: { id: deal.id }, contact: { id: contact.id }, company: { id: company.id } }
  const { id } = await aRecord('task', organization, members)
  const { data } = await (await organization.token(['crm_tasks_read'])).get(`/tasks/${id}`)
  expect(data).toMatchObject({ dealId: deal.id, contactId: contact.id, companyId: company.id })
})

it('never shows a phone number or e-mail in displayName', async () => {
  const organization = await given.shared()
  const contactData = { phones: [{ value: '+1 202 555 0143' }], emails: [{ value: 'anna@example.com' }] }
  const record = await aRecord('contact', organization, { firstName: null, lastName: null, contactData })
  expect(record.displayName).toBe(`Contact ${String(record.id).slice(0, 8)}`)
  const titled = { firstName: null, lastName: null, jobTitle: 'Buyer', contactData }
  expect((await aRecord('contact', organization, titled)).displayName).toBe('Buyer')
  expect((await aRecord('contact', organization, { middleName: 'Maria' })).displayName).toBe('Petrova Anna Maria')
})

/** How a part of a deal can be shown: by each of its routes that answer records. */
const partViews: Readonly<Record<string, (client: Client, part: Part) => Promise<[JsonObject, Answer]>>> = {
  async list(client, part) {
    const { collection } = await partOf(await given.shared(), part)
    const answer = await client.get(collection)
    return [objectOf(answer.items[0]), answer]
  },
  async create(client, part) {
    const { collection } = await partOf(await given.shared(), part)
    return single(await client.post(collection, aPart[part]))
  },
  async update(client, part) {
    const { path } = await partOf(await given.shared(), part)
    return single(await client.patch(path, { expectedVersion: 1, ...aChangeOf[part] }))
  },
  async 'no-op update'(client, part) {
    const { path } = await partOf(await given.shared(), part)
    return single(await client.patch(path, { expectedVersion: 1 }))
  },
}

const partMembers: Readonly<Record<Part, readonly string[]>> = {
  activities: nestedMembers.deal_activity ?? [],
  items: nestedMembers.deal_item ?? [],
}
const partCases = parts.flatMap(part => Object.entries(partViews).map(([view, show]) => [part, view, show] as const))

describe.each(partCases)('one of the %s of a deal shown by %s', (part, view, show) => {
  const writes = view !== 'list'

  it('has every declared member and no other, null where it is empty', async () => {
    const [record, { meta }] = await show((await given.shared()).client, part)
    expect(Object.keys(record).toSorted()).toEqual([...partMembers[part]].toSorted())
    expect(Object.values(record)).not.toContain(undefined)
    expect(meta.redacted).toBeUndefined()
  })

  it('lacks the author without crm_operators_read, and says so', async () => {
    const [record, { meta }] = await show(await (await given.shared()).token(allBut('crm_operators_read')), part)
    const shown = partMembers[part].filter(member => member !== 'authorUuid')
    expect(Object.keys(record).toSorted()).toEqual(shown.toSorted())
    expect(meta.redacted).toEqual(part === 'activities' ? ['operators'] : undefined)
  })

  it('is a receipt for a writer who may not read it, whether deals or amounts', async () => {
    if (!writes) return
    const [record, { meta }] = await show(await (await given.shared()).token(allBut('crm_deals_read')), part)
    expect([Object.keys(record).toSorted(), meta.dealVersion]).toEqual([['id', 'version'], expect.any(Number)])
    const [other, answer] = await show(await (await given.shared()).token(allBut('crm_amounts_read')), part)
    const expected = part === 'items' ? [['id', 'version'], ['amounts']] : [partMembers[part].toSorted(), undefined]
    expect([Object.keys(other).toSorted(), answer.meta.redacted]).toEqual(expected)
  })
})

it('publishes exactly the members that answers have', () => {
  // Records that are not synchronized have no protected members; their tests compare them whole.
  for (const { kind, output } of nestedResources.filter(({ conventions }) => conventions.synchronizes)) {
    expect(Object.keys(objectOf(output.properties)).toSorted()).toEqual([...(nestedMembers[kind] ?? [])].toSorted())
  }
  for (const { kind, output } of resources.filter(({ conventions }) => conventions.synchronizes)) {
    const listed = kinds.find(name => name === kind)
    expect(listed).toBeDefined()
    if (listed !== undefined) {
      expect(Object.keys(objectOf(output.properties)).toSorted()).toEqual([...members[listed]].toSorted())
    }
  }
})

import { type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'
import { aRecord, type Kind, kinds, plurals } from './requests.ts'

/** An organization with one record of each kind that has everything that lists filter by, and another one that has nothing of it. */
export interface ListWorld {
  readonly organization: TestOrganization
  readonly ids: Readonly<Record<Kind, string>>
  readonly others: Readonly<Record<Kind, string>>
}

const customFields = {
  region: 'Zoë',
  size: '12.5',
  vip: true,
  since: '2026-01-31',
  seen: '2026-01-31T09:15:00.000Z',
  rank: 'gold',
  likes: ['tea', 'ink'],
  site: 'https://example.com/a?b=c',
}

/** The custom fields of every kind, with their types. `boss` names an operator. */
const types: Readonly<Record<string, string>> = {
  region: 'text',
  size: 'number',
  vip: 'boolean',
  since: 'date',
  seen: 'datetime',
  rank: 'select',
  likes: 'multiselect',
  site: 'url',
  boss: 'user',
}

const options = ['gold', 'tea', 'ink', 'pen'].map(key => ({ key, label: key }))

/** Adds the custom fields to an organization, for every kind. */
export async function defineCustomFields(given: Given, organization: TestOrganization): Promise<void> {
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, options, position, created_at)
     select $1, kind, key, key, type, $5::jsonb, 0, now()
       from unnest($2::text[]) kind cross join unnest($3::text[], $4::text[]) as field(key, type)`,
    [organization.id, kinds, Object.keys(types), Object.values(types), JSON.stringify(options)],
  )
}

/** The others are created on 31 January 2026, in another pipeline, and the records on 2 March; tags and links follow on 3 March. */
export async function aListWorld(given: Given): Promise<ListWorld> {
  const organization = await given.organization()
  await defineCustomFields(given, organization)
  given.clock.set('2026-01-31T09:15:00.000Z')
  const others = await otherRecords(given, organization)
  given.clock.set('2026-03-02T10:00:00.000Z')
  const ids = await records(organization)
  given.clock.set('2026-03-03T10:00:00.000Z')
  const { client, tag } = organization
  for (const kind of kinds) {
    await expectDone(client.put(`/${plurals[kind]}/${ids[kind]}/tags`, { expectedVersion: 1, tags: [{ id: tag }] }))
  }
  const path = `/companies/${ids.company}/contacts`
  await expectDone(client.put(path, { expectedVersion: 2, contacts: [{ id: ids.contact }] }))
  return { organization, ids, others }
}

async function expectDone(answer: Promise<{ readonly status: number; readonly body: JsonObject }>): Promise<void> {
  const { status, body } = await answer
  if (status !== 200) throw new Error(JSON.stringify(body))
}

async function otherRecords(given: Given, organization: TestOrganization): Promise<Record<Kind, string>> {
  const [pipelineId, stage] = [newId(), newId()]
  await given.configure(
    organization,
    `with made as (insert into pipelines (organization_id, id, name, is_default, position, created_at)
                   values ($1, $2, 'Service', false, 1, now()))
     insert into stages (organization_id, id, pipeline_id, name, type, position) values ($1, $3, $2, 'Lost', 'lost', 0)`,
    [organization.id, pipelineId, stage],
  )
  const idOf = async (kind: Kind, members: JsonObject) =>
    String((await aRecord(kind, organization, { customFields: { region: 'north' }, ...members })).id)
  const company = await idOf('company', { name: 'Other' })
  return {
    company,
    contact: await idOf('contact', { lastName: 'Other', contactData: { emails: [{ value: 'other@example.com' }] } }),
    deal: await idOf('deal', {
      companies: [{ id: company }],
      ...{
        pipelineId,
        stageUuid: stage,
        lostReasonCategoryUuid: organization.lostReason,
        priority: 'low',
        expectedCloseDate: '2026-04-01',
        amount: '7',
      },
    }),
    task: await idOf('task', { status: 'done', priority: 'low', dueDate: '2026-04-01' }),
  }
}

async function records(organization: TestOrganization): Promise<Record<Kind, string>> {
  const { operator } = organization
  const owned = { customFields: { ...customFields, boss: operator } }
  const idOf = async (kind: Kind, members: JsonObject) =>
    String((await aRecord(kind, organization, { ...owned, ...members })).id)
  const contactData = {
    emails: [{ value: 'spare@example.com' }, { value: 'Anna.Petrova@Example.com' }],
    phones: [{ value: '(202) 555-0143' }, { value: '030 123' }],
  }
  const company = await idOf('company', { ownerUuid: operator })
  const contact = await idOf('contact', { ownerUuid: operator, contactData })
  const parties = { companies: [{ id: company }], contacts: [{ id: contact }] }
  const deal = await idOf('deal', {
    ...parties,
    ...{ ownerUuid: operator, priority: 'high', expectedCloseDate: '2026-03-31', amount: '1500.00' },
  })
  const about = { deal: { id: deal }, contact: { id: contact }, company: { id: company } }
  const task = await idOf('task', {
    ...about,
    ...{ assigneeUuid: operator, status: 'todo', priority: 'urgent', dueDate: '2026-03-31' },
  })
  return { company, contact, deal, task }
}

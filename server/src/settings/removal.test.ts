import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorPath } from '../../../test/conformance/support/agent-requests.ts'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { aCompany, aContact, aDeal, aTask } from '../../../test/support/builders.ts'
import { anOrganization, type TestOrganization } from '../../../test/support/organization.ts'
import { statement } from '../kernel/sql/index.ts'
import { nestedResources, resources, settingKinds } from '../modules.ts'
import {
  application,
  createApplication,
  createCustomField,
  createLostReason,
  createOperator,
  createPipeline,
  createStage,
  createTag,
  createToken,
  customField,
  listSettings,
  lostReason,
  operator,
  pipeline,
  type RemovableSetting,
  removeSetting,
  revokeToken,
  stage,
  tag,
  token,
} from './index.ts'

const kinds = [...resources, ...nestedResources, ...settingKinds]

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
})
afterAll(() => api?.close())

const remove = (kind: RemovableSetting, id: string) =>
  removeSetting(api.test, { organizationId: organization.id, kind, id }, kinds)

async function reasonOf(kind: RemovableSetting, id: string): Promise<string> {
  const before = await state()
  const reason = await remove(kind, id).then(
    () => 'removed',
    (error: Error) => error.message,
  )
  // What is refused leaves nothing behind.
  expect(await state()).toEqual(before)
  return reason
}

const selectState = statement(
  'test_removal_state',
  `select o.directory_version::integer as version, f.oldest_configuration::integer as oldest, i.generation::integer as generation,
          (select count(*)::integer from audit_entries a where a.organization_id = o.id) as entries
     from organizations o join organization_feed f on f.organization_id = o.id cross join installation i
    where o.organization_id = $1`,
)

async function state() {
  const [row] = await api.test.database.search(selectState, [organization.id])
  return row ?? {}
}

const list = (kind: RemovableSetting) => listSettings(api.test.database, kind, { organizationId: organization.id })

async function expectRemoved(kind: RemovableSetting, id: string): Promise<void> {
  const before = await state()
  await remove(kind, id)
  expect((await list(kind)).map(record => record.recordId ?? record.id)).not.toContain(id)
  const version = Number(before.version) + 1
  const generation = Number(before.generation) + 1
  expect(await state()).toMatchObject({ version, oldest: version, generation })
  const [entry] = await api.test.database.search(
    statement(
      'test_removal_entry',
      `select a.resource_type, a.action, a.actor_type, a.version_after from audit_entries a
        where a.organization_id = $1 and a.resource_id = $2 order by a.id desc limit 1`,
    ),
    [organization.id, id],
  )
  const deleted = {
    resource_type: kind.kind,
    action: `${kind.kind}.deleted`,
    actor_type: 'system',
    version_after: null,
  }
  expect(entry).toEqual(deleted)
  await expect(remove(kind, id)).rejects.toThrow('no such')
}

async function anOperator(): Promise<string> {
  const email = `${Math.random()}@acme.example`
  return (await createOperator(api.test, { organizationId: organization.id, name: 'Ann', email })).id
}

async function aDealOf(members: Readonly<Record<string, unknown>> = {}) {
  const { data: company } = await organization.client.post('/companies', aCompany())
  const { data } = await organization.client.post('/deals', aDeal({ companies: [{ id: company.id }], ...members }))
  return data
}

describe('a member of a declaration that is a UUID', () => {
  it('names a record, its parent, or settings of the kinds that it lists', () => {
    const known = new Set(settingKinds.map(({ kind }) => kind))
    for (const { kind, fields, parent } of kinds) {
      for (const [name, field] of Object.entries(fields)) {
        const named = Object.keys(field.namesSettings ?? {})
        expect([kind, name, named.filter(setting => !known.has(setting))]).toEqual([kind, name, []])
        if (!field.column?.startsWith('uuid') || field.refersTo !== undefined || name === parent?.member) continue
        // What nobody sees or sends is the name of a stored file.
        if (field.input === undefined && Object.keys(field.output ?? {}).length === 0) continue
        expect([kind, name, named.length]).toEqual([kind, name, 1])
      }
    }
  })
})

describe('an operator', () => {
  it('who owns records or is the value of a custom field stays, and can be made inactive', async () => {
    const uuid = await anOperator()
    const { client, id: organizationId } = organization
    const field = { organizationId, kind: 'company', key: 'buyer', type: 'user' }
    await createCustomField(api.test, field, ['company'])
    await client.post('/contacts', aContact({ ownerUuid: uuid }))
    await client.post('/contacts', aContact({ ownerUuid: uuid }))
    await client.post('/companies', aCompany({ customFields: { buyer: uuid } }))
    await client.post('/tasks', aTask({ assigneeUuid: uuid }))
    await client.patch(operatorPath(organization), { handoff: { assigneeUuid: uuid } })
    expect(await reasonOf(operator, uuid)).toBe(
      'the operator is in use by contacts (2), companies (1), tasks (1), ai operators (1): make it inactive instead',
    )
  })

  it('whom no record names is removed, and can own none from then on', async () => {
    const uuid = await anOperator()
    const { data: contact } = await organization.client.post('/contacts', aContact({ ownerUuid: uuid }))
    await organization.client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, ownerUuid: null })
    await expectRemoved(operator, uuid)
    const { status, error } = await organization.client.post('/contacts', aContact({ ownerUuid: uuid }))
    expect([status, error.code]).toEqual([422, 'validation_error'])
  })
})

describe('a tag', () => {
  it('that records carry stays; without them it goes, and its key is that of something removed', async () => {
    const { client, id: organizationId, applicationId } = organization
    const key = { applicationId, externalId: 'vip' }
    const { id } = await createTag(api.test, { organizationId, name: 'VIP', ...key }, ['contact'])
    const { data: contact } = await client.post('/contacts', aContact())
    const path = `/contacts/${contact.id}/tags`
    await client.put(path, { expectedVersion: 1, tags: [{ externalId: 'vip' }] })
    expect(await reasonOf(tag, id)).toBe('the tag is in use by contacts (1)')
    await client.put(path, { expectedVersion: 2, tags: [] })
    await expectRemoved(tag, id)
    const byId = await client.put(path, { expectedVersion: 3, tags: [{ id }] })
    expect(byId.status).toBe(404)
    const byKey = await client.put(path, { expectedVersion: 3, tags: [{ externalId: 'vip' }] })
    expect([byKey.status, byKey.error.code]).toEqual([410, 'external_reference_deleted'])
  })
})

describe('a stage', () => {
  it('that deals are in, or were in, stays, and can be archived', async () => {
    const { client, stages } = organization
    const deal = await aDealOf({ stageUuid: stages.first })
    await client.patch(`/deals/${deal.id}/move`, { expectedVersion: 1, stageUuid: stages.second })
    expect(await reasonOf(stage, stages.first)).toBe('the stage is in use by deals (1): archive it instead')
    expect(await reasonOf(stage, stages.second)).toBe('the stage is in use by deals (1): archive it instead')
  })

  it('without deals is removed, but for the last one of its type', async () => {
    const { id: organizationId, pipelineId, stages } = organization
    const { uuid } = await createStage(api.test, { organizationId, pipelineId, name: 'Later', type: 'open' })
    await expectRemoved(stage, uuid)
    const lacking = 'a pipeline needs at least one lost stage that is not archived'
    expect(await reasonOf(stage, stages.lost)).toBe(lacking)
  })
})

describe('a pipeline', () => {
  const stages = ['open', 'won', 'lost'].map(type => ({ name: type, type }))

  it('stays while it is the default one, or deals or lost reasons belong to it', async () => {
    const { id: organizationId, pipelineId } = organization
    const { id } = await createPipeline(api.test, { organizationId, name: 'Renewals', stages })
    await createLostReason(api.test, { organizationId, name: 'Late', pipelineId: id })
    await aDealOf({ pipelineId: id })
    expect(await reasonOf(pipeline, id)).toBe('the pipeline is in use by deals (1), lost reasons (1)')
    for (const { id: dealId, version: expectedVersion } of (await organization.client.get('/deals')).items) {
      expect((await organization.client.delete(`/deals/${dealId}`, { expectedVersion })).status).toBe(200)
    }
    const reason = 'new deals go to the default pipeline: make another one the default first'
    expect(await reasonOf(pipeline, pipelineId)).toBe(reason)
  })

  it('that nothing belongs to goes together with its stages', async () => {
    const { id: organizationId } = organization
    const { id } = await createPipeline(api.test, { organizationId, name: 'Tenders', stages })
    await expectRemoved(pipeline, id)
    expect((await list(stage)).filter(({ pipelineId }) => pipelineId === id)).toEqual([])
  })
})

describe('a lost reason', () => {
  it('of a deal stays, any other goes', async () => {
    const { client, id: organizationId, lostReason: used, stages } = organization
    const deal = await aDealOf()
    const lost = { expectedVersion: 1, stageUuid: stages.lost, lostReasonCategoryUuid: used }
    expect((await client.patch(`/deals/${deal.id}/move`, lost)).status).toBe(200)
    expect(await reasonOf(lostReason, used)).toBe('the lost reason is in use by deals (1): make it inactive instead')
    await expectRemoved(lostReason, (await createLostReason(api.test, { organizationId, name: 'Other' })).uuid)
  })
})

describe('a custom field', () => {
  it('that records of its kind have a value of stays, and goes without', async () => {
    const { client, id: organizationId } = organization
    for (const kind of ['contact', 'task']) {
      await createCustomField(api.test, { organizationId, kind, key: 'region', type: 'text' }, [kind])
    }
    const fields = await list(customField)
    const idOf = (kind: string) => String(fields.find(field => field.kind === kind && field.key === 'region')?.id)
    const { data: contact } = await client.post('/contacts', aContact({ customFields: { region: 'North' } }))
    expect(await reasonOf(customField, idOf('contact'))).toBe('the custom field is in use by contacts (1)')
    await expectRemoved(customField, idOf('task'))
    await client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, customFields: { region: null } })
    await expectRemoved(customField, idOf('contact'))
  })
})

describe('an application and its tokens', () => {
  it('stay while they are used, and go one after the other', async () => {
    const { id: organizationId } = organization
    const { id } = await createApplication(api.test, { organizationId, name: 'ERP' })
    const { id: tokenId } = await createToken(api.test, {
      organizationId,
      applicationId: id,
      name: 'Sync',
      scopes: ['all'],
    })
    expect(await reasonOf(application, id)).toBe('the application is in use by tokens (1): disable it instead')
    const issued = (await list(token)).find(each => each.id === tokenId)
    const recordId = String(issued?.recordId)
    expect(await reasonOf(token, recordId)).toBe('the token is valid: revoke it first')
    await revokeToken(api.test, { organizationId, tokenId })
    await expectRemoved(token, recordId)
    await expectRemoved(application, id)
  })

  it('stay while records have been written by it', async () => {
    const { id, client } = await organization.application()
    const deal = await aDealOf()
    const { data: contact } = await client.post('/contacts', aContact())
    await client.post(`/deals/${deal.id}/activities`, { type: 'note', body: 'Called' })
    const uses = 'contacts (1), deal activities (1), tokens (1), external keys (1)'
    expect(await reasonOf(application, id)).toBe(`the application is in use by ${uses}: disable it instead`)
    expect(contact.createdByApplicationId).toBe(id)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { aWebhook } from '../../../test/support/webhooks.ts'
import { type Author, readSettings } from '../kernel/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { settingKinds } from '../modules.ts'
import { createUserWithLink } from '../people/index.ts'
import {
  type Administration,
  createApplication,
  createCustomField,
  createLostReason,
  createOperator,
  createOrganization,
  createPipeline,
  createTag,
  createToken,
  revokeToken,
  rotateToken,
  setApplication,
  setOperator,
  setOrganization,
  setStage,
} from './index.ts'

const author: Author = { type: 'user', uuid: newId(), jobId: null }
const kinds = ['contact', 'deal']
const stages = [
  { name: 'In', type: 'open' },
  { name: 'Out', type: 'open' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
]

let test: TestDatabase
let by: Administration
let organizationId: string
let applicationId: string
let pipelineId: string
let stageUuid: string
let operatorId: string
let tokenId: string

beforeAll(async () => {
  test = await createTestDatabase()
  by = { ...test, author }
  organizationId = (await createOrganization(test, { name: 'Acme' })).id
  applicationId = (await createApplication(test, { organizationId, name: 'ERP' })).id
  const pipeline = await createPipeline(test, { organizationId, name: 'First', stages })
  pipelineId = pipeline.id
  stageUuid = pipeline.stages[0]?.uuid ?? ''
  operatorId = (await createOperator(test, { organizationId, name: 'Ann', email: 'ann@acme.example' })).id
  tokenId = (await createToken(test, { organizationId, applicationId, name: 'Sync', scopes: ['all'] })).id
})
afterAll(() => test?.drop())

const select = (name: string, text: string) =>
  test.database.search(statement(`test_settings_audit_${name}`, text), [organizationId])

const changesOf = `(select coalesce(jsonb_object_agg(c ->> 'field', array[c -> 'before', c -> 'after']), '{}')
     from jsonb_array_elements(a.changes) as c)`

/** The entries since the last time, the organization's own first. */
async function newEntries() {
  const entries = await select(
    'entries',
    `select a.resource_type as kind, a.action, a.resource_id as id, a.actor_type as actor, a.actor_uuid as uuid,
            a.version_before::integer as before, a.version_after::integer as after, ${changesOf} as changes
       from audit_entries a where a.organization_id = $1 order by a.resource_type, a.version_before nulls first`,
  )
  await select('forget', 'delete from audit_entries a where a.organization_id = $1 returning 1')
  return entries
}

async function state() {
  const [row] = await select(
    'state',
    `select o.directory_version::integer as version, i.generation::integer as generation,
            (select count(*)::integer from audit_entries a where a.organization_id = o.id) as entries,
            (select count(*)::integer from tags t where t.organization_id = o.id) as tags,
            (select count(*)::integer from stages s where s.organization_id = o.id) as stages
       from organizations o, installation i where o.organization_id = $1`,
  )
  return row
}

const isUser = { actor: 'user', uuid: author.uuid }
const created = (kind: string) => ({ kind, action: `${kind}.created`, before: null, after: 1, ...isUser })
const updated = (kind: string, before: number) => ({
  kind,
  action: `${kind}.updated`,
  before,
  after: before + 1,
  ...isUser,
})

describe('each change leaves an entry for each record, and raises the version of the organization by one', () => {
  const cases: [string, () => Promise<unknown>, object[]][] = [
    ['application', () => createApplication(by, { organizationId, name: 'Shop' }), [created('application')]],
    [
      'changed application',
      () => setApplication(by, { organizationId, id: applicationId, enabled: false }),
      [{ ...updated('application', 1), changes: { enabled: [true, false] } }],
    ],
    [
      'operator',
      () => createOperator(by, { organizationId, name: 'Bo', email: 'bo@acme.example' }),
      [
        {
          ...created('operator'),
          changes: {
            organizationId: expect.anything(),
            name: [null, 'Bo'],
            email: [null, 'bo@acme.example'],
            active: [null, true],
          },
        },
      ],
    ],
    [
      'changed operator',
      () => setOperator(by, { organizationId, id: operatorId, active: false }),
      [{ ...updated('operator', 1), changes: { active: [true, false] } }],
    ],
    ['lost reason', () => createLostReason(by, { organizationId, name: 'Late', pipelineId }), [created('lost_reason')]],
    ['tag', () => createTag(by, { organizationId, name: 'VIP' }, kinds), [created('tag')]],
    [
      'custom field',
      () => createCustomField(by, { organizationId, kind: 'deal', key: 'region', type: 'text' }, kinds),
      [created('custom_field')],
    ],
    [
      'pipeline that becomes the default',
      () => createPipeline(by, { organizationId, name: 'Second', stages, isDefault: true }),
      [
        { ...created('pipeline'), changes: expect.objectContaining({ isDefault: [null, true] }) },
        { ...updated('pipeline', 1), changes: { isDefault: [true, false] } },
        ...stages.map(() => created('stage')),
      ],
    ],
    [
      'changed stage',
      () => setStage(by, { organizationId, id: stageUuid, archived: true }),
      [{ ...updated('stage', 1), changes: { archived: [false, true] } }],
    ],
    [
      'changed organization',
      () => setOrganization(by, { organizationId, timeZone: 'Asia/Tokyo' }),
      [
        {
          kind: 'organization',
          action: 'organization.updated',
          ...isUser,
          changes: { timeZone: ['UTC', 'Asia/Tokyo'] },
        },
      ],
    ],
    [
      'token',
      () => createToken(by, { organizationId, applicationId, name: 'New', scopes: ['crm_deals_read'] }),
      [{ ...created('token'), changes: expect.objectContaining({ scopes: [null, ['crm_deals_read']] }) }],
    ],
    [
      'rotated token',
      () => rotateToken(by, { organizationId, tokenId }),
      [
        { ...created('token'), changes: expect.objectContaining({ rotatedFrom: [null, expect.any(String)] }) },
        { ...updated('token', 1), changes: { expiresAt: [null, expect.any(String)] } },
      ],
    ],
    [
      'revoked token',
      () => revokeToken(by, { organizationId, tokenId }),
      [{ ...updated('token', 2), changes: { revokedAt: [null, expect.any(String)] } }],
    ],
  ]

  it.each(cases)('%s', async (_, change, entries) => {
    await newEntries()
    const before = await state()
    await change()
    expect(await state()).toMatchObject({
      version: Number(before?.version) + 1,
      generation: Number(before?.generation) + 1,
    })
    expect(await newEntries()).toMatchObject(entries)
  })

  it('the versions of an organization are those of its entries', async () => {
    await newEntries()
    const before = await state()
    await setOrganization(by, { organizationId, currencies: ['EUR'] })
    expect(await newEntries()).toMatchObject([{ before: before?.version, after: Number(before?.version) + 1 }])
  })

  it('a command is an author without a name', async () => {
    await newEntries()
    await createTag(test, { organizationId, name: 'By command' }, kinds)
    expect(await newEntries()).toMatchObject([{ kind: 'tag', actor: 'system', uuid: null }])
  })
})

describe('a new organization', () => {
  it('is one change: entries of itself, its pipeline, stages and reasons, all of version 1', async () => {
    const { id } = await createOrganization(by, { name: 'Founded', defaultCurrency: 'EUR' })
    const entries = await test.database.search(
      statement(
        'test_founded',
        `select a.resource_type as kind, count(*)::integer as entries, count(distinct a.request_id)::integer as requests,
                bool_and(a.version_before is null and a.version_after = 1 and a.actor_type = 'user') as first
           from audit_entries a where a.organization_id = $1 group by 1 order by 1`,
      ),
      [id],
    )
    expect(entries).toEqual(
      [
        ['lost_reason', 3],
        ['organization', 1],
        ['pipeline', 1],
        ['stage', 6],
      ].map(([kind, count]) => ({ kind, entries: count, requests: 1, first: true })),
    )
  })
})

describe('no entry is left', () => {
  it('by a change that is refused, or that changes nothing', async () => {
    const before = await state()
    const won = [{ name: 'Won', type: 'won' }]
    await expect(createPipeline(by, { organizationId, name: 'C', stages: won })).rejects.toThrow('open stage')
    await expect(createTag(by, { organizationId, name: 'vip' }, kinds)).rejects.toThrow('another tag is named vip')
    await setOrganization(by, { organizationId, timeZone: 'Asia/Tokyo' })
    await expect(revokeToken(by, { organizationId, tokenId })).rejects.toThrow('the token was revoked at ')
    expect(await state()).toEqual(before)
  })

  it('by a change whose save fails', async () => {
    const before = await state()
    await test.database.script(`alter table audit_entries add constraint test_no_stages
      check (resource_type <> 'stage') not valid`)
    const organizations = statement('test_count_of_organizations', 'select count(*) from organizations')
    const [count] = await test.database.search(organizations, [])
    await expect(createPipeline(by, { organizationId, name: 'D', stages, isDefault: true })).rejects.toThrow(
      'test_no_stages',
    )
    await expect(createOrganization(by, { name: 'Unfounded' })).rejects.toThrow('test_no_stages')
    await test.database.script('alter table audit_entries drop constraint test_no_stages')
    expect(await state()).toEqual(before)
    expect(await test.database.search(organizations, [])).toEqual([count])
  })

  it('in the change feed', async () => {
    expect(await select('feed', 'select f.seq from organization_feed f where f.organization_id = $1')).toEqual([
      { seq: '0' },
    ])
    expect(await select('changes', 'select 1 from changes c where c.organization_id = $1')).toEqual([])
  })
})

describe('secrets', () => {
  it('stand neither in audit entries nor in readings of settings', async () => {
    await newEntries()
    const { token } = await createToken(by, { organizationId, applicationId, name: 'Secret', scopes: ['all'] })
    const [row] = await select(
      'hash',
      `select encode(t.secret_hash, 'hex') as hash from api_tokens t where t.organization_id = $1 and t.name = 'Secret'`,
    )
    const [kept] = await select(
      'kept',
      'select jsonb_agg(a.changes)::text as text from audit_entries a where a.organization_id = $1',
    )
    const shown = await Promise.all(settingKinds.map(kind => readSettings(kind, organizationId, test.database)))
    for (const text of [String(kept?.text), JSON.stringify(shown)]) {
      expect(text).toContain('Secret')
      expect(text).not.toContain(String(row?.hash))
      expect(text).not.toContain(token.split('_')[3])
      expect(text).not.toMatch(/hash/iu)
    }
  })
})

describe('a reading of settings', () => {
  it('has the records of each kind in their order, each with its version', async () => {
    const { id: hooked } = await createApplication(by, { organizationId, name: 'Hooked' })
    await createToken(by, { organizationId, applicationId: hooked, name: 'Sync', scopes: ['all'] })
    await aWebhook(test, { id: organizationId, applicationId: hooked })
    await createUserWithLink(by, { email: 'owner@example.com', name: 'Owner' }, { organizationId, role: 'owner' })
    for (const kind of settingKinds) {
      const records = await readSettings(kind, organizationId, test.database)
      expect(records.length).toBeGreaterThan(0)
      for (const record of records)
        expect(record).toMatchObject({ id: expect.any(String), version: expect.any(Number) })
    }
    const pipelines = settingKinds.find(({ kind }) => kind === 'pipeline')
    if (pipelines === undefined) throw new Error('pipelines are no settings')
    const shown = await readSettings(pipelines, organizationId, test.database)
    expect(shown.map(({ name, position }) => [name, position])).toEqual([
      ['Sales', 0],
      ['First', 1],
      ['Second', 2],
    ])
  })
})

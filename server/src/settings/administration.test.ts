import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { statement } from '../kernel/sql/index.ts'
import {
  application,
  createApplication,
  createCustomField,
  createLostReason,
  createOperator,
  createOrganization,
  createPipeline,
  createTag,
  organizationOf,
  pipeline,
  setApplication,
  setOperator,
  setOrganization,
  setStage,
  stage,
} from './index.ts'

const threeStages = [
  { name: 'Open', type: 'open' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
]
const recordKinds = ['contact', 'company', 'deal', 'task']

let test: TestDatabase
let organizationId: string

beforeAll(async () => {
  test = await createTestDatabase()
  organizationId = (await createOrganization(test, { name: 'Acme' })).id
})
afterAll(() => test?.drop())

const selectVersions = statement(
  'test_versions',
  `select i.generation::integer as generation, o.directory_version::integer as directory
     from installation i, organizations o where o.id = $1`,
)

async function versions() {
  const [row] = await test.database.search(selectVersions, [organizationId])
  return { generation: Number(row?.generation), directory: Number(row?.directory) }
}

async function select(name: string, text: string) {
  return test.database.search(statement(`test_administration_${name}`, text), [organizationId])
}

const unknownId = '00000000-0000-4000-8000-000000000000'

describe('a new organization', () => {
  it('has UTC and US dollars, one default pipeline, three lost reasons and an empty feed', async () => {
    const organization = await createOrganization(test, { name: '  Acme  ' })
    expect(organization).toMatchObject({
      name: 'Acme',
      timeZone: 'UTC',
      defaultCurrency: 'USD',
      currencies: ['USD'],
      locale: 'en',
      country: 'US',
      crmProvider: 'built_in',
      sandbox: false,
    })
    const stages = await select(
      'stages',
      `select s.name, s.type, p.is_default from stages s
         join pipelines p on p.organization_id = s.organization_id and p.id = s.pipeline_id
        where s.organization_id = $1 order by s.position`,
    )
    expect(stages.map(({ name, type }) => `${String(name)}:${String(type)}`)).toEqual([
      'New:open',
      'Qualified:open',
      'Proposal:open',
      'Negotiation:open',
      'Won:won',
      'Lost:lost',
    ])
    expect(stages.every(stage => stage.is_default)).toBe(true)
    expect(
      await select('reasons', 'select l.name from lost_reason_categories l where l.organization_id = $1'),
    ).toHaveLength(3)
    expect(await select('feed', 'select f.seq from organization_feed f where f.organization_id = $1')).toEqual([
      { seq: '0' },
    ])
  })

  it.each([
    [{ name: ' ' }, 'the name of an organization takes 1 to 200 characters, without control characters'],
    [{ name: 'x'.repeat(201) }, 'the name of an organization takes 1 to 200 characters, without control characters'],
    [{ name: 'A', timeZone: 'Mars/Olympus' }, '"Mars/Olympus" is no time zone: write one such as Europe/Berlin'],
    [{ name: 'A', timeZone: '+01:00' }, '"+01:00" is no time zone: write one such as Europe/Berlin'],
    [{ name: 'A', defaultCurrency: 'XXY' }, '"XXY" is no ISO 4217 currency code such as USD'],
  ])('is refused for %o', async (input, reason) => {
    await expect(createOrganization(test, input)).rejects.toThrow(reason)
  })
})

describe('every change', () => {
  const changes: [string, () => Promise<unknown>][] = [
    ['organization', () => setOrganization(test, { organizationId, timeZone: 'Europe/Berlin' })],
    ['operator', () => createOperator(test, { organizationId, name: 'Ann', email: 'a@b.example' })],
    ['lost reason', () => createLostReason(test, { organizationId, name: 'Slow' })],
    ['tag', () => createTag(test, { organizationId, name: 'VIP' }, recordKinds)],
    ['pipeline', () => createPipeline(test, { organizationId, name: 'B', stages: threeStages })],
    [
      'custom field',
      () => createCustomField(test, { organizationId, kind: 'deal', key: 'region', type: 'text' }, recordKinds),
    ],
    ['application', () => createApplication(test, { organizationId, name: 'ERP' })],
  ]

  it.each(changes)('of the kind %s raises the generation and the directory version by one', async (_, apply) => {
    const before = await versions()
    await apply()
    expect(await versions()).toEqual({ generation: before.generation + 1, directory: before.directory + 1 })
  })

  it('that is refused leaves everything as it was', async () => {
    const before = await versions()
    const stages = [{ name: 'Won', type: 'won' }]
    await expect(createPipeline(test, { organizationId, name: 'C', stages })).rejects.toThrow('open stage')
    expect(await versions()).toEqual(before)
  })

  it('of an unknown organization is refused', async () => {
    const reason = `no such organization: ${unknownId}`
    await expect(createTag(test, { organizationId: unknownId, name: 'x' }, recordKinds)).rejects.toThrow(reason)
    await expect(createApplication(test, { organizationId: unknownId, name: 'x' })).rejects.toThrow(reason)
    await expect(createTag(test, { organizationId: 'acme', name: 'x' }, recordKinds)).rejects.toThrow(
      'no such organization: acme',
    )
  })

  it('that changes nothing is refused', async () => {
    await expect(setOrganization(test, { organizationId })).rejects.toThrow('nothing to change was given')
  })
})

describe('an organization', () => {
  it('always keeps its default currency enabled', async () => {
    const set = (currencies: string[]) => setOrganization(test, { organizationId, currencies })
    expect((await set(['EUR', 'GBP'])).currencies).toEqual(['USD', 'EUR', 'GBP'])
    expect((await set(['EUR', 'USD', 'EUR'])).currencies).toEqual(['USD', 'EUR'])
    expect((await set([])).currencies).toEqual(['USD'])
    await expect(set(['usd'])).rejects.toThrow('"usd" is no ISO 4217 currency code')
  })

  it('keeps members that a change does not name', async () => {
    const changed = await setOrganization(test, { organizationId, crmProvider: 'external' })
    expect(changed).toMatchObject({ crmProvider: 'external', currencies: ['USD'], timeZone: 'Europe/Berlin' })
    await expect(setOrganization(test, { organizationId, crmProvider: 'other' })).rejects.toThrow(
      'the provider is one of built_in, external, not "other"',
    )
  })
})

describe('an application', () => {
  it('has the default rates, and can be changed and disabled', async () => {
    const { id } = await createApplication(test, { organizationId, name: 'Shop', rateWrite: 500 })
    const rates = () =>
      test.database.search(
        statement('test_rates', 'select a.rate_read, a.rate_write, a.enabled from applications a where a.id = $1'),
        [id],
      )
    expect(await rates()).toEqual([{ rate_read: 600, rate_write: 500, enabled: true }])
    await setApplication(test, { organizationId, id, rateRead: 7, enabled: false })
    expect(await rates()).toEqual([{ rate_read: 7, rate_write: 500, enabled: false }])
    for (const rateRead of [0, -1, 1.5, Number.NaN]) {
      await expect(setApplication(test, { organizationId, id, rateRead })).rejects.toThrow(
        'the read rate is a whole number of requests per minute',
      )
    }
  })

  it('of another organization is unknown', async () => {
    const other = await createOrganization(test, { name: 'Other' })
    const { id } = await createApplication(test, { organizationId: other.id, name: 'Shop' })
    await expect(setApplication(test, { organizationId, id, enabled: false })).rejects.toThrow(
      `no such application: ${id}`,
    )
    expect(await organizationOf(test.database, application, id)).toBe(other.id)
    await expect(organizationOf(test.database, application, unknownId)).rejects.toThrow('no such application')
    await expect(organizationOf(test.database, stage, 'x')).rejects.toThrow('no such stage: x')
  })
})

describe('an operator', () => {
  it('has an e-mail address of their own, whatever its letter case', async () => {
    const input = { organizationId, name: 'Bo', email: 'Bo@Acme.example' }
    const { id } = await createOperator(test, input)
    await expect(createOperator(test, { ...input, email: 'bo@acme.example' })).rejects.toThrow(
      'another operator has the e-mail address bo@acme.example',
    )
    await expect(createOperator(test, { ...input, email: 'bo' })).rejects.toThrow('"bo" is no e-mail address')
    await setOperator(test, { organizationId, id, active: false })
    const [row] = await select(
      'operators',
      `select p.active from operators p where p.organization_id = $1 and p.name = 'Bo'`,
    )
    expect(row).toEqual({ active: false })
    await expect(setOperator(test, { organizationId, id: unknownId, active: true })).rejects.toThrow('no such operator')
  })
})

describe('a pipeline', () => {
  const [open = { name: '', type: '' }, , lost = open] = threeStages

  it('that is the default takes over from the one before', async () => {
    const { id } = await createPipeline(test, { organizationId, name: 'New', stages: threeStages, isDefault: true })
    const defaults = await select(
      'defaults',
      'select p.id from pipelines p where p.organization_id = $1 and p.is_default',
    )
    expect(defaults).toEqual([{ id }])
    await expect(pipeline.administered.set(test, { organizationId, id, isDefault: false })).rejects.toThrow(
      'new deals go to the default pipeline: make another one the default first',
    )
  })

  it('has stages with different names and known types', async () => {
    const create = (stages: { name: string; type: string }[]) =>
      createPipeline(test, { organizationId, name: 'P', stages })
    await expect(create([open, { name: 'OPEN', type: 'won' }])).rejects.toThrow('another stage is named OPEN')
    await expect(create([open, { name: 'X', type: 'closed' }])).rejects.toThrow(
      'the type of a stage is one of open, won, lost, not "closed"',
    )
    const two = await create([...threeStages, { name: 'Won late', type: 'won' }])
    expect(two.stages.map(stage => stage.type)).toEqual(['open', 'won', 'lost', 'won'])
  })

  it.each(['open', 'won', 'lost'])('needs a stage of the type %s', async type => {
    const stages = threeStages.filter(each => each.type !== type)
    await expect(createPipeline(test, { organizationId, name: type, stages })).rejects.toThrow(
      `a pipeline needs at least one ${type} stage`,
    )
  })

  it('keeps a stage of each type that is not archived', async () => {
    const stages = [open, { name: 'Second', type: 'open' }, { name: 'Won', type: 'won' }, lost]
    const created = await createPipeline(test, { organizationId, name: 'Q', stages })
    const [first = '', second = '', third = ''] = created.stages.map(stage => stage.uuid)
    const archive = (stageUuid: string, archived = true) => setStage(test, { organizationId, id: stageUuid, archived })
    expect(await archive(first)).toEqual({ id: first, uuid: first })
    await expect(archive(second)).rejects.toThrow('a pipeline needs at least one open stage that is not archived')
    await expect(archive(third)).rejects.toThrow('a pipeline needs at least one won stage that is not archived')
    await archive(first, false)
    await archive(second)
    await expect(archive(unknownId)).rejects.toThrow('no such stage')
  })
})

describe('a lost reason', () => {
  it('can belong to a pipeline of the organization', async () => {
    const { id: pipelineId } = await createPipeline(test, { organizationId, name: 'R', stages: threeStages })
    expect(await createLostReason(test, { organizationId, name: 'Late', pipelineId })).toEqual({
      id: expect.any(String),
      uuid: expect.any(String),
    })
    await expect(createLostReason(test, { organizationId, name: 'Late', pipelineId: unknownId })).rejects.toThrow(
      `no such pipeline: ${unknownId}`,
    )
  })
})

describe('a tag', () => {
  it('has a name of its own, a colour and kinds', async () => {
    await createTag(test, { organizationId, name: 'Gold', color: '#FFD700', kinds: ['deal', 'contact'] }, recordKinds)
    const [row] = await select(
      'tags',
      `select t.color, t.kinds from tags t where t.organization_id = $1 and t.name = 'Gold'`,
    )
    expect(row).toEqual({ color: '#FFD700', kinds: ['contact', 'deal'] })
    const create = (input: object) => createTag(test, { organizationId, name: 'Silver', ...input }, recordKinds)
    await expect(create({ name: 'gold' })).rejects.toThrow('another tag is named gold')
    await expect(create({ color: 'red' })).rejects.toThrow('"red" is no colour: write #RRGGBB')
    await expect(create({ kinds: ['lead'] })).rejects.toThrow('a kind is one of contact, company, deal, task')
    await expect(create({ kinds: [] })).rejects.toThrow('at least one kind')
    await expect(create({ name: 'x'.repeat(101) })).rejects.toThrow('1 to 100 characters')
  })

  it('can be known by an external id of one application', async () => {
    const { id: applicationId } = await createApplication(test, { organizationId, name: 'Tagger' })
    const create = (name: string, externalId: string, of = applicationId) =>
      createTag(test, { organizationId, name, applicationId: of, externalId }, recordKinds)
    const { id } = await create('Keyed', 'T-1')
    const keys = await select(
      'keys',
      `select k.kind, k.key, k.gone, k.resource_id, k.application_id from external_keys k where k.organization_id = $1`,
    )
    expect(keys).toEqual([{ kind: 'tag', key: 'T-1', gone: false, resource_id: id, application_id: applicationId }])
    await expect(create('Keyed twice', 'T-1')).rejects.toThrow('another tag has the external id T-1')
    await expect(create('Spaced', ' T-2')).rejects.toThrow('an external id takes 1 to 200 characters')
    const together = '--application and --external-id go together'
    await expect(createTag(test, { organizationId, name: 'Nobody', externalId: 'T-2' }, recordKinds)).rejects.toThrow(
      together,
    )
    await expect(createTag(test, { organizationId, name: 'Nobody', applicationId }, recordKinds)).rejects.toThrow(
      together,
    )
    await expect(create('Foreign', 'T-3', unknownId)).rejects.toThrow(`no such application: ${unknownId}`)
    const names = await select(
      'names',
      `select t.name from tags t where t.organization_id = $1 and t.name in ('Keyed twice', 'Spaced', 'Foreign', 'Nobody')`,
    )
    expect(names).toEqual([])
  })
})

describe('a custom field', () => {
  const field = { kind: 'contact', key: 'size', type: 'select', options: [{ key: 's', label: 'Small' }] }
  const create = (input: object) => createCustomField(test, { organizationId, ...field, ...input }, recordKinds)

  it('is known by its kind and key', async () => {
    expect(await create({})).toEqual({ id: 'contact.size', key: 'size' })
    await expect(create({})).rejects.toThrow('there is a custom field size of the kind contact')
    expect(await create({ kind: 'company', required: true })).toEqual({ id: 'company.size', key: 'size' })
  })

  it.each([
    [{ key: 'Size' }, '"Size" is no key'],
    [{ key: 'a'.repeat(65) }, 'is no key'],
    [{ key: 'k1', kind: 'lead' }, 'a kind is one of'],
    [{ key: 'k2', type: 'json' }, 'the type of a custom field is one of text, number'],
    [{ key: 'k3', type: 'text' }, 'a custom field of the type text has no options'],
    [{ key: 'k4', options: [] }, 'a custom field of the type select needs options'],
    [
      {
        key: 'k5',
        options: [
          { key: 'a', label: 'A' },
          { key: 'a', label: 'B' },
        ],
      },
      'different keys',
    ],
  ])('is refused for %o', async (input, reason) => {
    await expect(create(input)).rejects.toThrow(reason)
  })
})

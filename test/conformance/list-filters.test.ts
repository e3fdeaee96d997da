import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../server/src/entrypoints/http/reference/describe-api.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { nodeAt, pointer } from '../golden/document.ts'
import { useApi } from './support/given.ts'
import { aListWorld, defineCustomFields, type ListWorld } from './support/list-world.ts'
import { aRecord, type Kind, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()
let world: ListWorld
beforeAll(async () => {
  world = await aListWorld(given)
})

/** Queries that choose the record that has everything, and not the other one, by kind; a word in braces is its id, or that of a setting. */
const common = [
  'tagIds={tag}',
  'createdFrom=2026-03-02T10:00:00Z',
  'createdFrom=2026-03-02T12:00:00%2B02:00&createdTo=2026-03-02T10:00:00.001Z',
  'updatedFrom=2026-03-03T10:00:00Z',
  'updatedFrom=2026-03-03T10:00:00Z&updatedTo=2026-03-03T10:00:00.001Z',
  'customField.region=Zoe%CC%88',
  'customField.size=12.50',
  'customField.vip=true',
  'customField.since=2026-01-31&customField.rank=gold',
  'customField.seen=2026-01-31T10:15:00%2B01:00',
  'customField.likes=ink&customField.likes=pen',
  'customField.site=https://example.com/a?b%3Dc',
  'customField.boss={operator}',
]
const choosing: Readonly<Record<Kind, readonly string[]>> = {
  contact: [
    'ownerUuid={operator}',
    'companyId={company}',
    'email=anna.petrova@EXAMPLE.COM',
    'email=nobody@example.com&email=spare@example.com',
    'phone=%2B1%20202%20555%200143',
    'phone=202.555.0143',
    'phone=030%20123',
    'phone=555&phone=2025550143',
  ],
  company: ['ownerUuid={operator}', 'contactId={contact}'],
  deal: [
    'ownerUuid={operator}',
    'pipelineId={pipelineId}',
    'stageUuid={first}',
    'status=open&status=won',
    'priority=high',
    'companyId={company}',
    'contactId={contact}',
    'expectedCloseTo=2026-04-01',
    'expectedCloseFrom=2026-03-31&expectedCloseTo=2026-04-01',
  ],
  task: [
    'assigneeUuid={operator}',
    'status=todo',
    'priority=high&priority=urgent',
    'dealId={deal}',
    'contactId={contact}',
    'companyId={company}',
    'dueTo=2026-04-01',
    'dueFrom=2026-03-31&dueTo=2026-04-01T00:00:00Z',
    'dueFrom=2026-03-31T23:59:59Z&dueTo=2026-04-01T23:59:59Z',
  ],
}

/** A query for the records of the world. */
function filled(query: string, { organization, ids } = world): string {
  const { tag, operator, pipelineId, stages } = organization
  const words: Readonly<Record<string, string>> = { ...ids, tag, operator, pipelineId, first: stages.first }
  return query.replaceAll(/\{(\w+)\}/gu, (_, word: string) => words[word] ?? '')
}

async function listed(kind: Kind, query: string, { client } = world.organization): Promise<unknown> {
  const { status, items, body } = await client.get(`/${plurals[kind]}?${query}`)
  return status === 200 ? items.map(({ id }) => id) : body
}

describe.each(kinds)('the list of %ss', kind => {
  it.each([...choosing[kind], ...common])('chooses the records that %s tells of', async query => {
    expect(await listed(kind, filled(query))).toEqual([world.ids[kind]])
  })

  it('finds nothing by the ids of another organization', async () => {
    const elsewhere = await given.organization()
    await defineCustomFields(given, elsewhere)
    const byId = [...choosing[kind], ...common].filter(query => /\{|email|phone/u.test(query))
    for (const query of byId) expect([query, await listed(kind, filled(query), elsewhere)]).toEqual([query, []])
  })

  it('shows the other records where a filter excludes this one', async () => {
    const excluding = {
      contact: ['createdTo=2026-03-02T10:00:00Z', 'email=other@example.com'],
      company: ['createdTo=2026-03-02T10:00:00Z', 'updatedTo=2026-03-03T10:00:00Z'],
      deal: ['expectedCloseFrom=2026-04-01', 'status=lost', 'createdTo=2026-03-02T10:00:00Z'],
      task: ['dueFrom=2026-04-01', 'status=done', 'priority=low', 'dueFrom=2026-04-01T00:00:00Z'],
    }
    for (const query of excluding[kind]) {
      expect([query, await listed(kind, query)]).toEqual([query, [world.others[kind]]])
    }
  })

  it('finds nothing that meets one filter and not the other', async () => {
    const query = `${inChargeOf(kind)}=${world.organization.operator}&createdTo=2026-03-02T10:00:00Z`
    expect(await listed(kind, query)).toEqual([])
  })
})

describe('a filter by a custom field', () => {
  it('is met by the same text alone: in other letters, or a part of it, it finds nothing', async () => {
    for (const text of ['zoë', 'Zo', 'Zoë ', 'Zoe'])
      expect([text, await listed('contact', regionIs(text))]).toEqual([text, []])
    expect(await listed('contact', regionIs('Zoë'))).toEqual([world.ids.contact])
  })
})

const regionIs = (text: string) => `customField.region=${encodeURIComponent(text)}`

describe('a phone number in a filter', () => {
  it('is read as dialled in the country of the organization, otherwise found by its digits', async () => {
    const organization = await given.organization()
    await given.configure(organization, "update organizations set country = 'DE' where id = $1", [organization.id])
    const withPhone = async (value: string) =>
      String((await aRecord('contact', organization, { contactData: { phones: [{ value }] } })).id)
    const [abroad, local] = [await withPhone('+1 202 555 0143'), await withPhone('+49 30 123456')]
    const short = await withPhone('(030) 1')
    const found = (phone: string) => listed('contact', `phone=${encodeURIComponent(phone)}`, organization)
    expect(await found('030 123456')).toEqual([local])
    expect(await found('202 555 0143')).toEqual([])
    // No German numbers: the digits of one with its country code, and those that were typed.
    expect(await found('1 (202) 555-0143')).toEqual([abroad])
    expect(await found('03-01')).toEqual([short])
  })
})

describe('a date in dueFrom and dueTo', () => {
  it('begins in the time zone of the organization, where a task that is due on a date is due until its end', async () => {
    const organization = await given.organization()
    await given.configure(organization, "update organizations set time_zone = 'America/New_York' where id = $1", [
      organization.id,
    ])
    const due = async (dueDate: string) => String((await aRecord('task', organization, { dueDate })).id)
    // In New York, midnight is at four o'clock in UTC.
    const [before, dated, after] = [
      await due('2026-04-01T03:59:59.999Z'),
      await due('2026-03-31'),
      await due('2026-04-01T04:00:00Z'),
    ]
    const found = async (query: string) => listed('task', `sort=createdAt&${query}`, organization)
    expect(await found('dueTo=2026-04-01')).toEqual([before, dated])
    expect(await found('dueFrom=2026-04-01')).toEqual([after])
    expect(await found('dueFrom=2026-04-01T03:59:59.999Z')).toEqual([before, dated, after])
    expect(await found('dueTo=2026-04-01T03:59:59.999Z')).toEqual([])
    expect(await found('dueTo=2026-04-01T04:00:00Z')).toEqual([before, dated])
  })
})

describe('a key or a search beside a filter', () => {
  it.each(kinds)('is one more condition that %ss meet', async kind => {
    const { organization, ids } = world
    const { data } = await organization.client.get(`/${plurals[kind]}/${ids[kind]}`)
    const key = `externalId=${String(data.externalId)}`
    const word = { contact: 'etro', company: 'orthwin', deal: 'chair', task: 'chair' }[kind]
    const own = `${inChargeOf(kind)}=${organization.operator}`
    expect(await listed(kind, `${key}&${own}`)).toEqual([ids[kind]])
    expect(await listed(kind, `${key}&createdTo=2026-03-02T10:00:00Z`)).toEqual([])
    expect(await listed(kind, `search=${word}&${own}`)).toEqual([ids[kind]])
    expect(await listed(kind, `search=nowhere&${own}`)).toEqual([])
  })

  it('has all words of a search, also beyond those that are looked for in indexes', async () => {
    const { client } = world.organization
    const words = ['walnut', 'oaken', 'maple', 'cedar', 'birch', 'alder', 'aspen', 'larch', 'yew', 'elm', 'fir']
    const { data } = await client.post('/companies', { name: words.join(' ') })
    expect(await listed('company', `search=${words.join('%20')}&sort=name`)).toEqual([data.id])
    for (const missing of ['walnuts', 'elms'])
      expect(await listed('company', `search=${words.join('%20')}%20${missing}&sort=name`)).toEqual([])
    const others = words.with(words.indexOf('elm'), 'ash').join('%20')
    expect(await listed('company', `search=${others}&sort=name`)).toEqual([])
  })

  it('that is a whole address finds longer ones too, which contain it', async () => {
    const organization = await given.organization()
    const withEmail = async (value: string) =>
      String((await aRecord('contact', organization, { contactData: { emails: [{ value }] } })).id)
    const [whole, longer] = [await withEmail('anna@example.com'), await withEmail('joanna@example.com')]
    expect(await listed('contact', 'search=anna@example.com', organization)).toEqual([whole])
    expect(await listed('contact', 'search=anna@example.com&sort=createdAt', organization)).toEqual([whole, longer])
  })

  it.each(['deal', 'task'] as const)('answers 410 for the key of a removed %s', async kind => {
    const { organization } = world
    const { id, externalId } = await aRecord(kind, organization)
    await organization.client.delete(`/${plurals[kind]}/${id}?expectedVersion=1`)
    const answer = await organization.client.get(`/${plurals[kind]}?externalId=${externalId}&sort=updatedAt`)
    expect(outcome(answer)).toBe('410 external_reference_deleted')
  })
})

const inChargeOf = (kind: Kind) => (kind === 'task' ? 'assigneeUuid' : 'ownerUuid')

describe('the document', () => {
  it.each(kinds)('has an example for each filter and order of %ss that finds a record', async kind => {
    const { parameters } = nodeAt(describeApi(), `/paths/${pointer(`/api/v1/crm/${plurals[kind]}`)}/get`)
    const { operator, tag, pipelineId, stages } = world.organization
    const { contact: contactId, company: companyId, deal: dealId } = world.ids
    // The ids of the document are of no installation.
    const ids: JsonObject = { contactId, companyId, dealId, pipelineId, ownerUuid: operator, assigneeUuid: operator }
    const known: JsonObject = { ...ids, tagIds: tag, stageUuid: stages.first }
    const names: unknown[] = []
    for (const { name, in: place, example } of [parameters].flat().filter(isObject)) {
      if (place !== 'query' || isOther(name)) continue
      const value = known[String(name)] ?? example
      const query = isObject(value) ? value : { [String(name)]: String(value) }
      const texts = Object.entries(query).map(([key, text]): [string, string] => [key, String(text)])
      expect([name, await listed(kind, new URLSearchParams(texts).toString())]).toSatisfy(found)
      names.push(name)
    }
    expect(names.length).toBeGreaterThan(7)
  })
})

/** Whether a list has shown records. */
const found = ([, ids]: unknown[]) => Array.isArray(ids) && ids.length > 0

const isOther = (name: unknown) => ['cursor', 'limit', 'externalId', 'search'].includes(String(name))

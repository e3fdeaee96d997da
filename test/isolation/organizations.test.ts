import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject, newId } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { agentsPath, channelsPath, setsPath } from '../conformance/support/agent-requests.ts'
import { useApi } from '../conformance/support/given.ts'
import {
  aBody,
  aRecord,
  batchKinds,
  inCharge,
  type Kind,
  kinds,
  outcome,
  plurals,
} from '../conformance/support/requests.ts'
import { basesPath } from '../knowledge/support/knowledge.ts'
import type { Answer } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { agents } from './support/agents.ts'
import { bulkJobs } from './support/bulk-jobs.ts'
import { partCases } from './support/deal-parts.ts'
import { exported } from './support/exports.ts'
import { files } from './support/files.ts'
import { imports } from './support/imports.ts'
import { knowledge } from './support/knowledge.ts'
import { nameless } from './support/nameless.ts'
import { type Case, type Names, namesOf, nowhere } from './support/names.ts'
import { checklists, links } from './support/nested-cases.ts'
import { overwrite, trail, withCompanies } from './support/on-request.ts'
import { deletion, merge } from './support/removals.ts'
import { tagsOf } from './support/tag-cases.ts'

const given = useApi()

const get = (kind: Kind): Case => [
  `${plurals[kind]}.get`,
  'the id in the path',
  '404 not_found',
  ({ client }, { ids }) => client.get(`/${plurals[kind]}/${ids[kind]}`),
]

const list = (kind: Kind): Case => [
  `${plurals[kind]}.list`,
  'the key as filter',
  '200',
  ({ client }, { keys }) => client.get(`/${plurals[kind]}?externalId=${keys[kind]}`),
]

const update = (kind: Kind): Case => [
  `${plurals[kind]}.update`,
  'the id in the path',
  '404 not_found',
  ({ client }, { ids }) => client.patch(`/${plurals[kind]}/${ids[kind]}`, { expectedVersion: 1, description: 'x' }),
]

const updateKey = (kind: Kind): Case => [
  `${plurals[kind]}.update`,
  'the key as new externalId',
  '200',
  async (organization, { keys }) => {
    const { id } = await aRecord(kind, organization)
    return organization.client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, externalId: keys[kind] })
  },
]

const create = (kind: Kind): Case => [
  `${plurals[kind]}.create`,
  'the key',
  '201',
  async (organization, { keys }) =>
    organization.client.post(`/${plurals[kind]}`, await aBody(kind, organization, { externalId: keys[kind] })),
]

const upsert = (kind: Kind): Case => [
  `${plurals[kind]}.upsert`,
  'the key',
  '201',
  async (organization, { keys }) =>
    organization.client.post(`/${plurals[kind]}/upsert`, await aBody(kind, organization, { externalId: keys[kind] })),
]

const upsertVersion = (kind: Kind): Case => [
  `${plurals[kind]}.upsert`,
  'the key with a version',
  '409 version_conflict',
  async ({ client }, { keys }) =>
    client.post(`/${plurals[kind]}/upsert`, { externalId: keys[kind], expectedVersion: 1 }),
]

const operator = (kind: Kind): Case => [
  `${plurals[kind]}.create`,
  `the operator as ${inCharge[kind]}`,
  '422 validation_error',
  async (organization, { operator: uuid }) =>
    organization.client.post(`/${plurals[kind]}`, await aBody(kind, organization, { [inCharge[kind]]: uuid })),
]

const batchGet = (kind: Kind): Case => [
  `${plurals[kind]}.batchGet`,
  'id and key',
  '200',
  ({ client }, { ids, keys }) =>
    client.post(`/${plurals[kind]}/batch/get`, { items: [{ id: ids[kind] }, { externalId: keys[kind] }] }),
]

const batchUpsert = (kind: Kind): Case => [
  `${plurals[kind]}.batchUpsert`,
  'the key, with and without a version',
  '200',
  async (organization, { keys }) =>
    organization.client.post(`/${plurals[kind]}/batch/upsert`, {
      items: [
        await aBody(kind, organization, { externalId: keys[kind] }),
        { externalId: `${keys[kind]}2`, expectedVersion: 1 },
      ],
    }),
]

const remove = (kind: Kind, query: string): Case => [
  `${plurals[kind]}.remove`,
  `the id in the path${query}`,
  '404 not_found',
  ({ client }, { ids }) => client.delete(`/${plurals[kind]}/${ids[kind]}?expectedVersion=1${query}`),
]

/** A record that is to refer to a named one, tried with every operation that can make it so. */
const refer = (owner: 'deal' | 'task', field: string, kind: Kind, by: 'id' | 'externalId'): Case[] => {
  const path = `/${plurals[owner]}`
  const what = `${field} by ${by}`
  const members = ({ ids, keys }: Names) => {
    const reference = by === 'id' ? { id: ids[kind] } : { externalId: keys[kind] }
    return { title: 'x', [field]: owner === 'deal' ? [reference] : reference }
  }
  return [
    [`${plurals[owner]}.create`, what, '404 not_found', ({ client }, names) => client.post(path, members(names))],
    [
      `${plurals[owner]}.update`,
      what,
      '404 not_found',
      async (organization, names) => {
        const { id } = await aRecord(owner, organization)
        return organization.client.patch(`${path}/${id}`, { expectedVersion: 1, ...members(names) })
      },
    ],
    [
      `${plurals[owner]}.upsert`,
      what,
      '404 not_found',
      ({ client }, names) => client.post(`${path}/upsert`, { externalId: newId(), ...members(names) }),
    ],
    [
      `${plurals[owner]}.batchUpsert`,
      what,
      '200',
      ({ client }, names) =>
        client.post(`${path}/batch/upsert`, { items: [{ externalId: 'same', ...members(names) }] }),
    ],
  ]
}

const configured = (field: string, member: 'stage' | 'pipeline' | 'reason'): Case => [
  'deals.create',
  `${field} of its configuration`,
  '422 validation_error',
  async (organization, names) => {
    const stage = member === 'reason' ? { stageUuid: organization.stages.lost } : {}
    return organization.client.post('/deals', await aBody('deal', organization, { ...stage, [field]: names[member] }))
  },
]

const move = (expected: string, what: string, members: (names: Names, own: TestOrganization) => JsonObject): Case => [
  'deals.move',
  what,
  expected,
  async (organization, names) => {
    const id = what.startsWith('the id') ? names.ids.deal : (await aRecord('deal', organization)).id
    return organization.client.patch(`/deals/${id}/move`, { expectedVersion: 1, ...members(names, organization) })
  },
]

const search: Case = [
  'search.query',
  'the keys of its records',
  '200',
  ({ client }, { keys }) => client.get(`/search?q=${keys.contact}`),
]

const summaries: Case[] = (['pipelineId', 'ownerId', 'contactId', 'companyId', 'tagId'] as const).map(filter => [
  'analytics.summary',
  filter,
  '200',
  ({ client }, { ids, pipeline, operator, tag }) => {
    const named = {
      pipelineId: pipeline,
      ownerId: operator,
      contactId: ids.contact,
      companyId: ids.company,
      tagId: tag,
    }
    return client.get(`/analytics/summary?${filter}=${named[filter]}`)
  },
])

const cases: readonly Case[] = [
  search,
  ...kinds.map(trail),
  withCompanies,
  ...kinds.flatMap(kind => [get(kind), list(kind), update(kind), updateKey(kind), create(kind), operator(kind)]),
  ...kinds.flatMap(kind => [upsert(kind), overwrite(kind), upsertVersion(kind), ...tagsOf(kind)]),
  ...batchKinds.flatMap(kind => [batchGet(kind), batchUpsert(kind)]),
  remove('contact', ''),
  remove('contact', '&mode=full'),
  remove('deal', ''),
  ...deletion('contact', { mode: 'anonymize' }),
  ...deletion('contact', { mode: 'full' }),
  ...deletion('company', {}),
  ...merge('contact'),
  ...merge('company'),
  remove('task', ''),
  ...(['id', 'externalId'] as const).flatMap(by => [
    ...refer('deal', 'companies', 'company', by),
    ...refer('deal', 'contacts', 'contact', by),
    ...refer('task', 'company', 'company', by),
    ...refer('task', 'contact', 'contact', by),
    ...refer('task', 'deal', 'deal', by),
  ]),
  ...links,
  ...checklists,
  ...summaries,
  configured('stageUuid', 'stage'),
  configured('pipelineId', 'pipeline'),
  configured('lostReasonCategoryUuid', 'reason'),
  ...partCases,
  ...bulkJobs,
  ...files,
  ...imports,
  ...exported,
  ...agents,
  ...knowledge,
  move('404 not_found', 'the id in the path', (_, { stages }) => ({ stageUuid: stages.second })),
  move('422 validation_error', 'the stage', ({ stage }) => ({ stageUuid: stage })),
  move('422 validation_error', 'the reason', ({ reason }, { stages }) => ({
    stageUuid: stages.lost,
    lostReasonCategoryUuid: reason,
  })),
]

/** An answer without what two requests never share: ids, keys and times of new records, and the request id. */
function comparable({ status, body }: Answer): unknown {
  return [status, blank(body)]
}

const particular = new Set([
  'id',
  'requestId',
  'externalId',
  'createdAt',
  'updatedAt',
  'stageChangedAt',
  'displayName',
  'rank',
  'missing',
  'sha256',
  'unexpected',
])

function blank(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blank)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, particular.has(name) ? 'its own' : blank(member)]),
  )
}

/** The records of an organization as its API shows them, and how far its feed goes. */
async function stateOf({ client }: TestOrganization, ids: Names['ids']) {
  const records = await Promise.all(kinds.map(async kind => (await client.get(`/${plurals[kind]}/${ids[kind]}`)).data))
  return { ids, records, seq: (await client.get('/changes/cursor')).data.seq }
}

async function begin() {
  const owner = await given.organization()
  const names = await namesOf(given, owner)
  return { owner, names, before: await stateOf(owner, names.ids) }
}

let begun: ReturnType<typeof begin> | undefined
/** The organization that all others name, as it was before they did. */
const foreign = () => (begun ??= begin())

describe.each(cases)('%s with %s of another organization', (_, __, expected, call) => {
  it('gives exactly the answer for a record that exists nowhere', async () => {
    const organization = await given.organization()
    const named = await call(organization, (await foreign()).names)
    const missing = await call(organization, nowhere())
    expect(outcome(named)).toBe(expected)
    expect(comparable(named)).toEqual(comparable(missing))
  })
})

it('is tried with every operation that can name something', () => {
  const tried = new Set(cases.map(([operation]) => operation))
  expect([...tried, ...nameless].toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
})

it('leaves the records of the other organization as they are', async () => {
  const { owner, before } = await foreign()
  expect(await stateOf(owner, before.ids)).toEqual(before)
})

describe('the view of an organization', () => {
  it('holds nothing of another: lists, search, feed, directories', async () => {
    const mine = await given.organization()
    const theirs = await given.organization()
    const start = String((await mine.client.get('/changes/cursor')).data.cursor)
    const names = await namesOf(given, theirs)
    const paths = [
      ...kinds.flatMap(kind => [`/${plurals[kind]}`, `/${plurals[kind]}?search=a`]),
      `/changes?after=${start}`,
      `/changes?include=record&after=${start}`,
      '/audit',
      '/bulk-jobs',
      '/capabilities',
      '/analytics/summary',
      agentsPath,
      channelsPath,
      basesPath,
      `${setsPath}?mode=with_links`,
    ]
    for (const path of paths) {
      const { status, body } = await mine.client.get(path)
      expect(status).toBe(200)
      const text = JSON.stringify(body)
      for (const secret of [
        ...Object.values(names.ids),
        ...Object.values(names.keys),
        ...Object.values(names.parts),
        names.bulkJob,
        names.checklist,
        names.checklistItem,
        names.stage,
        names.operator,
        names.tag,
        ...[names.channel, names.agent, names.productSet, names.knowledgeBase],
        theirs.id,
      ]) {
        expect(text).not.toContain(secret)
      }
    }
  })

  it('is not disturbed by the idempotency keys of another', async () => {
    const mine = await given.organization()
    const theirs = await given.organization()
    const body = await aBody('contact', mine)
    const first = await theirs.client.post('/contacts', body, { key: 'the-same-key' })
    const own = await mine.client.post('/contacts', body, { key: 'the-same-key' })
    expect([first.status, own.status, own.headers.get('idempotent-replayed')]).toEqual([201, 201, null])
    expect(own.data.id).not.toBe(first.data.id)
  })

  it('has feed numbers of its own', async () => {
    const mine = await given.organization()
    await namesOf(given, await given.organization())
    await aRecord('contact', mine)
    expect((await mine.client.get('/changes/cursor')).data.seq).toBe(1)
  })
})

describe('a cursor of another organization', () => {
  it('is refused with 400 invalid_cursor, like an invented one', async () => {
    const mine = await given.organization()
    const theirs = await given.organization()
    for (const kind of kinds) {
      await aRecord(kind, theirs)
      await aRecord(kind, theirs)
    }
    for (const kind of kinds) {
      const { meta } = await theirs.client.get(`/${plurals[kind]}?limit=1`)
      const foreign = await mine.client.get(`/${plurals[kind]}?cursor=${meta.nextCursor}`)
      const invented = await mine.client.get(`/${plurals[kind]}?cursor=invented`)
      expect(comparable(foreign)).toEqual(comparable(invented))
      expect(outcome(foreign)).toBe('400 invalid_cursor')
    }
    const { cursor } = (await theirs.client.get('/changes/cursor')).data
    expect(outcome(await mine.client.get(`/changes?after=${cursor}`))).toBe('400 invalid_cursor')
  })
})

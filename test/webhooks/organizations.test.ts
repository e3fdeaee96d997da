import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { eventSources } from '../../server/src/modules.ts'
import { Delivery } from '../../server/src/webhooks/index.ts'
import { aContext } from '../conformance/support/bulk-jobs.ts'
import { jobs, requested } from '../conformance/support/requested-jobs.ts'
import { aChange, aRecord, type Kind, plurals } from '../conformance/support/requests.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { runJobs } from '../support/jobs.ts'
import { NotingReceiver } from '../support/noting-receiver.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { Random } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { aWebhook } from '../support/webhooks.ts'

const kinds = eventSources.flatMap(source => source.kinds)

/** An organization, what its receiver has got, and every id in its feed. */
interface Party {
  readonly organization: TestOrganization
  readonly receiver: NotingReceiver
  ids: ReadonlySet<string>
}

let api: TestApi
let delivery: Delivery
const parties: Party[] = []

const patched = async ({ client }: TestOrganization, path: string, body: object) =>
  expect((await client.patch(path, body)).status).toBe(200)

async function moved(organization: TestOrganization, ...stages: ('second' | 'won' | 'lost' | 'first')[]) {
  const { id } = await aRecord('deal', organization)
  for (const [index, stage] of stages.entries()) {
    const reason = stage === 'lost' ? { lostReasonCategoryUuid: organization.lostReason } : {}
    const move = { expectedVersion: index + 1, stageUuid: organization.stages[stage], ...reason }
    await patched(organization, `/deals/${id}/move`, move)
  }
}

async function removed(kind: Kind, { client }: TestOrganization, id: unknown, query = '') {
  const path = `/${plurals[kind]}/${id}`
  const answer =
    kind === 'company'
      ? client.post(`${path}/delete/commit`, { expectedVersion: 1 })
      : client.delete(`${path}?expectedVersion=1${query}`)
  expect((await answer).status).toBe(200)
}

/** What leads to an event of a record, by the word for it. */
const deeds: Readonly<Record<string, (organization: TestOrganization, kind: Kind) => Promise<unknown>>> = {
  created: (organization, kind) => aRecord(kind, organization),
  async updated(organization, kind) {
    const { id } = await aRecord(kind, organization)
    await patched(organization, `/${plurals[kind]}/${id}`, { expectedVersion: 1, ...aChange[kind] })
  },
  async deleted(organization, kind) {
    const { id } = await aRecord(kind, organization)
    await removed(kind, organization, id, kind === 'contact' ? '&mode=full' : '')
  },
  async anonymized(organization, kind) {
    const { id } = await aRecord(kind, organization)
    await removed(kind, organization, id)
  },
  async merged(organization, kind) {
    const [primary, secondary] = [await aRecord(kind, organization), await aRecord(kind, organization)]
    const { status } = await organization.client.post(`/${plurals[kind]}/merge/commit`, {
      primaryId: primary.id,
      secondaryId: secondary.id,
      expectedPrimaryVersion: 1,
      expectedSecondaryVersion: 1,
      fieldResolutions: {},
      externalIdConflictResolution: 'keep_primary',
    })
    expect(status).toBe(200)
  },
  moved: organization => moved(organization, 'second'),
  won: organization => moved(organization, 'won'),
  lost: organization => moved(organization, 'lost'),
  reopened: organization => moved(organization, 'won', 'first'),
}

type JobType = keyof typeof requested

/** How a job comes to its end, by the word for it. */
const ends: Readonly<Record<string, (organization: TestOrganization, type: JobType, id: string) => Promise<unknown>>> =
  {
    completed: () => runJobs(api),
    async failed(organization, type, id) {
      const [job, payload] = jobs[type]
      await job.giveUp?.({ [payload]: id }, aContext(api, organization), new Error('away'))
    },
    async canceled(organization, type, id) {
      const [job, payload] = jobs[type]
      await job.cancel?.({ [payload]: id }, aContext(api, organization))
    },
  }

const isJobType = (type: string): type is JobType => type in requested
const isKind = (type: string): type is Kind => type in plurals

async function bringAbout(kind: string, organization: TestOrganization): Promise<void> {
  const [type = '', verb = ''] = kind.split('.')
  if (isJobType(type)) await ends[verb]?.(organization, type, await requested[type](organization))
  else if (isKind(type)) await deeds[verb]?.(organization, type)
}

const selectIds = statement(
  'test_ids_of_organization',
  `select distinct i.id::text as id
     from changes c cross join lateral (values (c.id), (c.resource_id), (c.application_id), (c.transaction_id)) as i (id)
    where c.organization_id = $1 and i.id is not null`,
)
const selectBehind = statement(
  'test_positions_behind',
  `select 1 as behind from organization_feed f
     left join webhook_positions p on p.organization_id = f.organization_id
    where f.organization_id = any ($1::uuid[]) and (p.settled_seq is null or p.settled_seq < f.seq)`,
)

async function aParty(): Promise<Party> {
  const organization = await anOrganization(api)
  const receiver = new NotingReceiver(new Random(1), 0)
  await aWebhook(api.test, organization, { url: await receiver.listen(), kinds, body: 'full' })
  return { organization, receiver, ids: new Set() }
}

async function idsOf(database: Database, { id, applicationId, operator }: TestOrganization) {
  const rows = await database.search(selectIds, [id])
  return new Set([id, applicationId, operator, ...rows.map(row => String(row.id))])
}

beforeAll(async () => {
  api = await startApi()
  parties.push(await aParty(), await aParty())
  const outbound = { allowedNetworks: ['127.0.0.0/8'] }
  const observer = { onCall: () => {}, onUnderWay: () => {} }
  const silent = { onFailure: () => {}, onPause: () => {}, onExpiring: () => {} }
  delivery = new Delivery({ services: api.services, outbound, observer, ...silent })
  delivery.start()
  for (const kind of kinds) await Promise.all(parties.map(({ organization }) => bringAbout(kind, organization)))
  const both = parties.map(({ organization }) => organization.id)
  await until('all deliveries', async () => (await api.test.database.search(selectBehind, [both])).length === 0)
  for (const party of parties) party.ids = await idsOf(api.test.database, party.organization)
}, 240_000)

afterAll(async () => {
  await delivery?.stop()
  for (const { receiver } of parties) receiver.close()
  await api?.close()
})

describe('an event of another organization never leaves', () => {
  it.each(kinds)('%s', kind => {
    const [one, other] = parties
    for (const [party, foreign] of [[one, other] as const, [other, one] as const]) {
      const bodies = (party?.receiver.calls ?? []).map(({ body }) => body)
      const ofKind = bodies.filter(body => JSON.parse(body).type === kind)
      expect(ofKind.length).toBeGreaterThan(0)
      for (const body of ofKind) {
        const { data }: { data: unknown } = JSON.parse(body)
        expect(isObject(data) && party?.ids.has(String(data.resourceId))).toBe(true)
        expect([...(foreign?.ids ?? [])].filter(id => body.includes(id))).toEqual([])
      }
    }
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { type GatheringApi, startGatheringApi, watchGroups } from '../support/gathering.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

// Rows that one transaction has written last have the same `xmin`.
const transactionsOf = statement(
  'test_transactions_of_records',
  `select count(distinct r.xmin)::integer as count
     from (select c.organization_id, c.id, c.xmin::text from contacts c union all
           select c.organization_id, c.id, c.xmin::text from companies c union all
           select d.organization_id, d.id, d.xmin::text from deals d union all
           select t.organization_id, t.id, t.xmin::text from tasks t) as r
    where r.organization_id = $1 and r.id = any ($2::uuid[])`,
)
const eventsOf = statement(
  'test_events_of_group',
  `select c.seq::integer as seq, c.resource_id, c.version::integer as version, c.request_id, c.transaction_id
     from changes c where c.organization_id = $1 order by c.seq`,
)
const entriesOf = statement(
  'test_entries_of_group',
  `select a.resource_id, a.request_id, a.version_after::integer as version
     from audit_entries a where a.organization_id = $1`,
)

const ranksOf = statement(
  'test_ranks_of_stage',
  `select count(distinct d.rank)::integer as count from deals d where d.organization_id = $1 and d.stage_uuid = $2`,
)

let api: GatheringApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startGatheringApi()
})
afterAll(async () => {
  await api.close()
  expect(api.failures).toEqual([])
})

const idsOf = (answers: readonly Answer[]) => answers.map(({ data }) => String(data.id))
const idsInBatch = ({ items }: Answer) => items.map(item => String(objectOf(item.data).id))
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

async function transactions(ids: readonly string[]): Promise<number> {
  const [row] = await api.test.database.search(transactionsOf, [organization.id, ids])
  return Number(row?.count)
}

function times<Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

const contacts = (count: number, members: Readonly<Record<string, unknown>> = {}) =>
  times(count, () => organization.client.post('/contacts', aContact(members)))

describe('writes that wait for others of their organization', () => {
  beforeAll(async () => {
    organization = await anOrganization(api)
  })

  it('are committed together, each with its own answer, event, entry and ids', async () => {
    const requestIds = Array.from({ length: 12 }, () => randomUUID())
    const answers = await api.together(12, () =>
      times(12, index => {
        const headers = { 'x-request-id': requestIds[index] ?? '' }
        return organization.client.post('/contacts', aContact({ firstName: `Anna ${index}` }), { headers })
      }),
    )
    expect(statuses(answers)).toEqual(Array.from(answers, () => 201))
    expect(answers.map(({ data }) => data.firstName)).toEqual(requestIds.map((_, index) => `Anna ${index}`))
    expect(await transactions(idsOf(answers))).toBe(1)

    const events = await api.test.database.search(eventsOf, [organization.id])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const requestOf = new Map(idsOf(answers).map((id, index) => [id, requestIds[index]]))
    expect(events.map(event => event.request_id)).toEqual(events.map(event => requestOf.get(String(event.resource_id))))
    expect(new Set(events.map(event => event.transaction_id)).size).toBe(12)
    const entries = await api.test.database.search(entriesOf, [organization.id])
    expect(new Map(entries.map(entry => [entry.resource_id, entry.request_id]))).toEqual(requestOf)
  })

  it('are answered again, each by its own key', async () => {
    const keys = Array.from({ length: 5 }, () => randomUUID())
    const bodies = keys.map(() => aContact())
    const send = () =>
      times(5, index => organization.client.post('/contacts', bodies[index], { key: keys[index] ?? '' }))
    const first = await api.together(5, send)
    const again = await api.together(5, send)
    expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(keys.map(() => 'true'))
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
    const [kept] = await contacts(1)
    const change = () =>
      organization.client.patch(`/contacts/${kept?.data.id}`, { expectedVersion: 1, jobTitle: 'Buyer' })
    const [replayed, created, changed] = await api.together(7, () => Promise.all([send(), contacts(1), change()]))
    expect(statuses([...replayed, ...created, changed])).toEqual([...keys.map(() => 201), 201, 200])
    expect(await transactions(idsOf([...created, changed]))).toBe(1)
  })

  it('are bounded in number, and no two organizations share a group', async () => {
    const other = await anOrganization(api)
    const [mine] = await api.together(bounds.groupRequests.most + 6, () =>
      Promise.all([contacts(bounds.groupRequests.most + 5), other.client.post('/contacts', aContact())]),
    )
    expect(await transactions(idsOf(mine))).toBe(2)
  })

  it('have bodies of a bounded number of bytes together', async () => {
    const description = 'x'.repeat(10_000)
    const items = () => Array.from({ length: 10 }, () => aContact({ description }))
    const bytes = JSON.stringify({ items: items() }).length
    const fit = Math.floor(bounds.groupBytes.most / bytes)
    expect([bytes < bounds.large.most, fit > 1]).toEqual([true, true])
    const { groups } = watchGroups(api)
    const answers = await api.together(fit + 1, () =>
      times(fit + 1, () => organization.client.post('/contacts/batch/upsert', { items: items() })),
    )
    expect(groups.map(({ size }) => size)).toEqual([fit, 1])
    expect(await transactions(answers.flatMap(idsInBatch))).toBe(2)
  })

  it('are answered again however long their answers are', async () => {
    const description = '"ä" \\u0041 \u{1F600}'.repeat(700)
    const keys = Array.from({ length: 4 }, () => randomUUID())
    const bodies = keys.map(() => ({ items: Array.from({ length: 10 }, () => aContact({ description })) }))
    const send = () =>
      times(4, index => organization.client.post('/contacts/batch/upsert', bodies[index], { key: keys[index] ?? '' }))
    const { groups } = watchGroups(api)
    const first = await api.together(4, send)
    expect(groups).toEqual([expect.objectContaining({ size: 4 })])
    const again = await api.together(4, send)
    expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(keys.map(() => 'true'))
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
  })

  it('name a bounded number of records and keys together', async () => {
    // For each contact, its key and the record that may have it are needed.
    const perBatch = 2 * 10
    const fit = Math.floor(bounds.groupRecords.most / perBatch)
    const { groups } = watchGroups(api)
    const answers = await api.together(fit + 1, () =>
      times(fit + 1, () =>
        organization.client.post('/contacts/batch/upsert', { items: Array.from({ length: 10 }, () => aContact()) }),
      ),
    )
    expect(groups.map(({ size }) => size)).toEqual([fit, 1])
    expect(await transactions(answers.flatMap(idsInBatch))).toBe(2)
  })

  it('share nothing with one that changes many records, which begins at once', async () => {
    const items = Array.from({ length: 11 }, () => aContact())
    const { groups, alone } = watchGroups(api)
    const [batch] = await api.together(6, () =>
      Promise.all([organization.client.post('/contacts/batch/upsert', { items }), contacts(6)]),
    )
    expect([groups, alone]).toEqual([[expect.objectContaining({ size: 6 })], ['size']])
    expect(batch.status).toBe(200)
  })

  it('may be of several applications: each has keys of its own, and sees no other', async () => {
    const { client } = await organization.application()
    const externalId = randomUUID()
    const both = [organization.client, client]
    const made = await api.together(2, () =>
      Promise.all(both.map(each => each.post('/contacts', aContact({ externalId })))),
    )
    expect(statuses(made)).toEqual([201, 201])
    expect(await transactions(idsOf(made))).toBe(1)
    const changed = await api.together(4, () =>
      Promise.all(
        both.flatMap(each => [
          each.post('/contacts/upsert', { ...aContact({ externalId, jobTitle: 'Buyer' }), expectedVersion: 1 }),
          each.post('/contacts', aContact({ externalId: null })),
        ]),
      ),
    )
    expect(statuses(changed)).toEqual([200, 201, 200, 201])
    expect(idsOf(changed.filter(({ status }) => status === 200))).toEqual(idsOf(made))
    expect(changed.map(({ data }) => data.externalId)).toEqual([externalId, null, externalId, null])
    expect(await transactions(idsOf(changed))).toBe(1)
  })

  it('may be of all kinds', async () => {
    const { client, stages, tag } = organization
    const [party] = await contacts(1)
    const side = [{ id: party?.data.id }]
    const made = await Promise.all([
      client.post('/deals', aDeal({ contacts: side })),
      client.post('/tasks', aTask()),
      client.post('/companies', aCompany()),
      client.post('/deals', aDeal({ contacts: side })),
    ])
    const [moved, task, tagged, deal] = idsOf(made)
    const answers = await api.together(10, () =>
      Promise.all([
        client.patch(`/contacts/${party?.data.id}`, { expectedVersion: 1, jobTitle: 'Buyer' }),
        client.post('/contacts/upsert', aContact()),
        client.post('/companies', aCompany()),
        client.post('/contacts/batch/upsert', { items: [aContact(), aContact()] }),
        client.post('/deals', aDeal({ contacts: side })),
        client.patch(`/deals/${moved}/move`, { expectedVersion: 1, stageUuid: stages.second }),
        client.post('/tasks', aTask()),
        client.post(`/tasks/${task}/checklists`, { title: 'Before the call' }),
        client.put(`/companies/${tagged}/tags`, { expectedVersion: 1, tags: [{ id: tag }] }),
        client.post(`/deals/${deal}/items`, { name: 'Chair', quantity: '2', price: '10.00' }),
      ]),
    )
    expect(answers.filter(({ status }) => status >= 300)).toEqual([])
    const inBatch = answers.slice(3, 4).flatMap(idsInBatch)
    const records = [...answers.flatMap(({ data }) => (data.version === undefined ? [] : String(data.id)))]
    const nested = [moved ?? '', task ?? '', tagged ?? '', deal ?? '']
    expect(await transactions([...records, ...inBatch, ...nested])).toBe(1)
  })
})

describe('decisions in a group', () => {
  beforeAll(async () => {
    organization = await anOrganization(api)
  })

  it('are made in the order of arrival, each on the result of the one before', async () => {
    const { client } = organization
    const [contact] = idsOf(await contacts(1))
    const answers = await api.together(10, () =>
      times(10, index =>
        client.patch(`/contacts/${contact}`, { expectedVersion: 1 + index, jobTitle: `Title ${index}` }),
      ),
    )
    const won = answers.filter(({ status }) => status === 200)
    const { data } = await client.get(`/contacts/${contact}`)
    expect(data.version).toBe(1 + won.length)
    const told = answers.map(({ data: { version }, details }) => version ?? details.currentVersion)
    expect(told).toEqual(told.toSorted((one, other) => Number(one) - Number(other)))
    expect(won.length).toBeGreaterThan(1)
    const events = await api.test.database.search(eventsOf, [organization.id])
    const versions = events.filter(event => event.resource_id === contact).map(({ version }) => version)
    expect(versions).toEqual(versions.map((_, index) => index + 1))
  })

  it('let one of the writes that change the same version win, and give the others the current one', async () => {
    const { client } = organization
    const [contact] = idsOf(await contacts(1))
    const answers = await api.together(20, () =>
      times(20, index => client.patch(`/contacts/${contact}`, { expectedVersion: 1, jobTitle: `Title ${index}` })),
    )
    expect(statuses(answers).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    for (const { status, details } of answers) if (status === 409) expect(details).toEqual({ currentVersion: 2 })
  })

  it('give a key once, and name the record that has it to the others', async () => {
    const { client } = organization
    const externalId = randomUUID()
    const answers = await api.together(8, () => times(8, () => client.post('/contacts', aContact({ externalId }))))
    const [created] = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(7)
    for (const { details } of refused) expect(details).toEqual({ existingId: created?.data.id, currentVersion: 1 })
  })

  it('let upserts follow each other on one key', async () => {
    const { client } = organization
    const externalId = randomUUID()
    const upsert = (expectedVersion?: number) =>
      client.post('/contacts/upsert', aContact({ externalId, jobTitle: `Title ${expectedVersion}`, expectedVersion }))
    const answers = await api.together(4, () => Promise.all([upsert(), upsert(1), upsert(2), upsert()]))
    const allowed = answers.every(({ status }) => [200, 201, 409, 428].includes(status))
    expect([allowed, answers.filter(({ status }) => status === 201).length]).toEqual([true, 1])
    const { items } = await client.get(`/contacts?externalId=${externalId}`)
    expect(items.map(({ version }) => version)).toEqual([answers.filter(({ status }) => status < 300).length])
  })

  it('run a second request with the same idempotency key with none of them', async () => {
    const { client } = organization
    const key = randomUUID()
    const body = aContact()
    const answers = await api.together(3, () =>
      Promise.all([client.post('/contacts', body, { key }), client.post('/contacts', body, { key }), contacts(2)]),
    )
    const [first, second] = answers
    expect([first.status, second.status, second.error.code]).toEqual([201, 409, 'idempotency_in_progress'])
    expect((await client.post('/contacts', body, { key })).data).toEqual(first.data)
  })

  it('let two applications change one record, each with its own key for it', async () => {
    const { client } = organization
    const other = (await organization.application()).client
    const { data } = await client.post('/contacts', aContact({ externalId: 'mine' }))
    const patch = (by: typeof client, expectedVersion: number, externalId: string) =>
      by.patch(`/contacts/${data.id}`, { expectedVersion, externalId, jobTitle: `By ${externalId}` })
    const { groups, alone } = watchGroups(api)
    let version = 1
    for (let round = 0; round < 5; round += 1) {
      const from = version
      const answers = await api.together(4, () =>
        Promise.all([
          ...[patch(client, from, `mine ${round}`), patch(other, from, `theirs ${round}`)],
          ...[patch(client, from + 1, `mine again ${round}`), patch(other, from + 1, `theirs again ${round}`)],
        ]),
      )
      version += answers.filter(({ status }) => status === 200).length
      for (const [index, { status, data: changed }] of answers.entries())
        if (status === 200)
          expect(String(changed.externalId).startsWith(index % 2 === 0 ? 'mine' : 'theirs')).toBe(true)
    }
    expect(version).toBeGreaterThan(5)
    // Who comes behind the other application is not decided on what that has changed.
    expect([groups.some(({ hasFailed }) => hasFailed), alone.includes('neighbour')]).toEqual([false, true])
    expect((await client.get(`/contacts/${data.id}`)).data.version).toBe(version)
  })

  it('place new deals above each other in the order in which they came', async () => {
    const { client, stages } = organization
    const [party] = idsOf(await contacts(1))
    const deals = idsOf(await times(6, () => client.post('/deals', aDeal({ contacts: [{ id: party }] }))))
    await api.together(6, () =>
      Promise.all(
        deals.map((id, index) =>
          index % 2 === 0
            ? client.patch(`/deals/${id}/move`, { expectedVersion: 1, stageUuid: stages.second })
            : client.post('/deals', aDeal({ contacts: [{ id: party }], stageUuid: stages.second })),
        ),
      ),
    )
    const ranks = await api.test.database.search(ranksOf, [organization.id, stages.second])
    expect(ranks.map(({ count }) => count)).toEqual([6])
  })

  it('write the event of a deal once for each change of it', async () => {
    const { client, stages } = organization
    const [party] = idsOf(await contacts(1))
    const { data } = await client.post('/deals', aDeal({ contacts: [{ id: party }] }))
    const answers = await api.together(3, () =>
      Promise.all([
        client.patch(`/deals/${data.id}/move`, { expectedVersion: 1, stageUuid: stages.second }),
        client.patch(`/deals/${data.id}/move`, { expectedVersion: 2, stageUuid: stages.won }),
        client.patch(`/deals/${data.id}`, { expectedVersion: 3, title: 'Chairs' }),
      ]),
    )
    const won = answers.filter(({ status }) => status === 200).length
    const { items } = await client.get(`/deals/${data.id}/events`)
    const versions = new Set(items.map(item => item.dealVersion))
    expect(versions.size).toBe(1 + won)
  })

  it('count nested records one after the other', async () => {
    const { client } = organization
    const { data } = await client.post('/tasks', aTask())
    const answers = await api.together(5, () =>
      times(5, index => client.post(`/tasks/${data.id}/checklists`, { title: `List ${index}` })),
    )
    expect(statuses(answers)).toEqual([201, 201, 201, 201, 201])
    expect(answers.map(({ data: list }) => list.position).toSorted()).toEqual([0, 1, 2, 3, 4])
    expect(answers.map(({ meta }) => meta.taskVersion).toSorted()).toEqual([2, 3, 4, 5, 6])
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Statement, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany, aContact, aDeal } from '../support/builders.ts'
import type { Answer } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

const lockContact = statement(
  'test_lock_contact',
  'select 1 from contacts where organization_id = $1 and id = $2 for update',
)
const lockCompany = statement(
  'test_lock_company',
  'select 1 from companies where organization_id = $1 and id = $2 for update',
)
const renameKey = statement(
  'test_move_key',
  `update external_keys set resource_id = $3 where organization_id = $1 and key = $2 and not gone returning 1`,
)
const countWaiting = statement(
  'test_count_waiting',
  `select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
)
// The first that waits for a row waits for the transaction that holds it; the second waits behind the first.
const findQueued = statement(
  'test_find_queued',
  `select 1 from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'tuple' and not l.granted`,
)

describe('a request that meets a lock', () => {
  let api: TestApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi({ connections: 12 })
    organization = await anOrganization(api)
  })
  afterAll(() => api.close())

  /** Runs `during` while another transaction holds a row, and ends that transaction afterwards. */
  async function whileHeld(
    lock: Statement,
    id: unknown,
    during: () => Promise<void>,
    meanwhile?: [Statement, unknown[]],
  ) {
    const holder = await api.services.database.begin()
    await holder.query(lock, [organization.id, id])
    try {
      await during()
      if (meanwhile !== undefined) await holder.query(...meanwhile)
    } finally {
      await holder.commit()
    }
  }

  async function untilWaiting(name: string, count = 1): Promise<void> {
    const waiting = async () => {
      const [row] = await api.services.database.search(countWaiting, [`name: ${name}\n`])
      return Number(row?.waiting) >= count
    }
    await until(`${name} that waits`, waiting)
  }

  it('is answered 409 at once when it duplicates a running one, however long that waits for a row', async () => {
    const { client } = organization
    const { data } = await client.post('/contacts', aContact())
    const key = randomUUID()
    const change = () => client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: 'Buyer' }, { key })
    let first: Promise<Answer> | undefined
    await whileHeld(lockContact, data.id, async () => {
      first = change()
      await untilWaiting('lock_contact_to_change')
      const duplicates = await Promise.all([change(), change(), change()])
      for (const { status, error } of duplicates) expect([status, error.code]).toEqual([409, 'idempotency_in_progress'])
    })
    expect((await first)?.status).toBe(200)
  })

  it('is replayed when it has finished, without waiting for the row that it changed', async () => {
    const { client } = organization
    const { data } = await client.post('/contacts', aContact())
    const key = randomUUID()
    const change = () => client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: 'Buyer' }, { key })
    const first = await change()
    await whileHeld(lockContact, data.id, async () => {
      const again = await change()
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
      expect(again.body).toEqual(first.body)
    })
  })

  it('decides by the links as they are after the wait, not as they were before it', async () => {
    const { client } = organization
    const { data: one } = await client.post('/companies', aCompany())
    const { data: other } = await client.post('/companies', aCompany())
    const { data: deal } = await client.post('/deals', aDeal({ companies: [{ id: one.id }] }))
    const relink = { expectedVersion: 1, companies: [{ id: one.id }, { id: other.id }] }
    const clear = { expectedVersion: 2, companies: [{ id: other.id }] }
    const waiting: Promise<Answer>[] = []
    await whileHeld(lockCompany, one.id, async () => {
      waiting.push(client.patch(`/deals/${deal.id}`, relink))
      await untilWaiting('lock_company_to_refer')
      waiting.push(client.patch(`/deals/${deal.id}`, clear))
    })
    const [relinked, cleared] = await Promise.all(waiting)
    expect(relinked?.status).toBe(200)
    // Either it came after the other and saw both links, or before it and learnt the version of then.
    expect([200, 409]).toContain(cleared?.status)
    const { data: now } = await client.get(`/deals/${deal.id}`)
    expect(now.companyIds).toEqual(cleared?.status === 200 ? [other.id] : [one.id, other.id])
  })

  it('changes the record that the key of an upsert names after the wait, not the one that it named before', async () => {
    const { client } = organization
    const body = aContact()
    const { data: before } = await client.post('/contacts', body)
    const { data: after } = await client.post('/contacts', aContact({ externalId: null }))
    let upsert: Promise<Answer> | undefined
    await whileHeld(
      lockContact,
      before.id,
      async () => {
        upsert = client.post('/contacts/upsert', { ...body, expectedVersion: 1, jobTitle: 'Moved' })
        await untilWaiting('lock_contact_to_change')
      },
      [renameKey, [organization.id, body.externalId, after.id]],
    )
    const answer = await upsert
    expect([answer?.status, answer?.data.id, answer?.data.version]).toEqual([200, after.id, 2])
    expect((await client.get(`/contacts/${before.id}`)).data.version).toBe(1)
  })

  it('starts over when the key of an upsert was moved while it waited: it does not write over another change', async () => {
    const { client } = organization
    const body = aContact()
    const { data: before } = await client.post('/contacts', body)
    const { data: after } = await client.post('/contacts', aContact({ externalId: null }))
    const answers: Promise<Answer>[] = []
    await whileHeld(lockContact, after.id, async () => {
      await whileHeld(
        lockContact,
        before.id,
        async () => {
          answers.push(client.patch(`/contacts/${after.id}`, { expectedVersion: 1, jobTitle: 'Changed first' }))
          await untilWaiting('lock_contact_to_change')
          answers.push(client.post('/contacts/upsert', { ...body, expectedVersion: 1, jobTitle: 'Moved' }))
          await untilWaiting('lock_contact_to_change', 2)
        },
        [renameKey, [organization.id, body.externalId, after.id]],
      )
      const queued = async () => (await api.services.database.search(findQueued, [])).length > 0
      await until('the upsert behind the change', queued)
    })
    const [changed, upserted] = await Promise.all(answers)
    expect([changed?.status, upserted?.status, upserted?.details.currentVersion]).toEqual([200, 409, 2])
    expect((await client.get(`/contacts/${after.id}`)).data).toMatchObject({ version: 2, jobTitle: 'Changed first' })
  })

  it('answers 503 with Retry-After when a row cannot be had in five seconds, and nothing is changed', async () => {
    const { client } = organization
    const { data } = await client.post('/contacts', aContact())
    await whileHeld(lockContact, data.id, async () => {
      const answer = await client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: 'Late' })
      expect([answer.status, answer.error.code, answer.headers.get('retry-after')]).toEqual([
        503,
        'service_unavailable',
        '5',
      ])
    })
    expect((await client.get(`/contacts/${data.id}`)).data.version).toBe(1)
  })

  it('does not deadlock when others change deals with the same parties in the opposite order', async () => {
    const { client } = organization
    const companies = await Promise.all(Array.from({ length: 6 }, () => client.post('/companies', aCompany())))
    const ids = companies.map(({ data }) => ({ id: data.id }))
    const changes = Array.from({ length: 30 }, (_, index) => {
      const ordered = index % 2 === 0 ? ids : [...ids].reverse()
      const patch = client.patch(`/companies/${ids[index % 6]?.id}`, { expectedVersion: 1, industry: `Trade ${index}` })
      return Promise.all([client.post('/deals', aDeal({ companies: ordered })), patch])
    })
    const answers = (await Promise.all(changes)).flat()
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6)
  })
})

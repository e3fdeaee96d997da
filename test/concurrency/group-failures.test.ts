import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lockNumber } from '../../server/src/kernel/schema/index.ts'
import { type Statement, statement } from '../../server/src/kernel/sql/index.ts'
import { aContact, aDeal } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { type GatheringApi, startGatheringApi, watchGroups } from '../support/gathering.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

// A write with such a name fails in the database as no check of the server foresees, or takes its connection with it
// when it commits.
const poison = `
  create function test_poison() returns trigger language plpgsql as $$ begin
    if new.first_name = 'Poison' then raise exception 'poison'; end if;
    return new;
  end $$;
  create trigger test_poison before insert or update on contacts for each row execute function test_poison();
  create function test_loss() returns trigger language plpgsql as $$ begin
    if new.first_name = 'Lost' then perform pg_terminate_backend(pg_backend_pid()); end if;
    return null;
  end $$;
  create constraint trigger test_loss after insert on contacts deferrable initially deferred
    for each row execute function test_loss()`

const lockRow = statement(
  'test_hold_row_of_group',
  'select c.id from contacts c where c.organization_id = $1 and c.id = $2 for update',
)
const lockTag = statement(
  'test_hold_tag_of_group',
  'select g.id from tags g where g.organization_id = $1 and g.id = $2 for update',
)
const lockNumbered = statement('test_hold_number', 'select pg_advisory_xact_lock($1::bigint)')
const archiveStage = statement(
  'test_archive_stage_of_group',
  `with raised as (update organizations set directory_version = directory_version + 1 where id = $1)
   update stages s set archived = true where s.organization_id = $1 and s.id = $2`,
)
const countNamed = statement(
  'test_count_named',
  'select count(*)::integer as count from contacts c where c.organization_id = $1 and c.first_name = $2',
)
const feedOf = statement(
  'test_feed_of_group',
  `select count(*) = f.seq as is_whole from organization_feed f left join changes c on c.organization_id = f.organization_id
    where f.organization_id = $1 group by f.seq`,
)

let api: GatheringApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startGatheringApi()
  await api.test.database.script(poison)
})
afterAll(() => api.close())
beforeEach(async () => {
  organization = await anOrganization(api)
})

const named = (firstName: string, count = 1, by: Client = organization.client): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => by.post('/contacts', aContact({ firstName }))))
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted()
const all = (count: number, status: number) => Array.from({ length: count }, () => status)
const rename = (id: unknown, expectedVersion = 1, firstName = 'Anna') =>
  organization.client.patch(`/contacts/${id}`, { expectedVersion, firstName, jobTitle: 'Buyer' })

/** The sizes of the groups that have failed. */
const failedIn = (groups: ReturnType<typeof watchGroups>['groups']) =>
  groups.flatMap(({ size, hasFailed }) => (hasFailed ? [size] : []))

async function countOf(firstName: string): Promise<number> {
  const [row] = await api.test.database.search(countNamed, [organization.id, firstName])
  return Number(row?.count)
}

/** Holds a lock in a transaction of its own while something is done. */
async function whileHeld<Result>(asked: Statement, values: readonly unknown[], work: () => Promise<Result>) {
  const holder = await api.services.database.begin()
  await holder.query(asked, values)
  try {
    return await work()
  } finally {
    await holder.rollback()
  }
}

/** Counts what is answered, while the rest waits. */
function answered(sent: readonly Promise<Answer>[]): { count: number } {
  const counted = { count: 0 }
  const count = () => {
    counted.count += 1
  }
  for (const each of sent) each.then(count, count)
  return counted
}

describe('a group does not wait for a write', () => {
  it('that holds a row that one write needs: that write waits alone', async () => {
    const ids = (await named('Anna', 20)).map(({ data }) => data.id)
    const { groups, alone } = watchGroups(api)
    let sent: Promise<Answer>[] = []
    await whileHeld(lockRow, [organization.id, ids[7]], async () => {
      await api.together(20, async () => {
        sent = ids.map(id => rename(id))
        const done = answered(sent)
        await until('nineteen answers', () => done.count === 19)
      })
    })
    expect(statuses(await Promise.all(sent))).toEqual(all(20, 200))
    expect([groups, alone]).toEqual([[{ size: 20, hasFailed: false }], ['locked']])
  })

  it('that holds a tag that one write assigns: that write waits alone', async () => {
    const [contact] = await named('Anna')
    const { alone } = watchGroups(api)
    let tagged: Promise<Answer> | undefined
    await whileHeld(lockTag, [organization.id, organization.tag], () =>
      api.together(4, async () => {
        const tags = { expectedVersion: 1, tags: [{ id: organization.tag }] }
        tagged = organization.client.put(`/contacts/${contact?.data.id}/tags`, tags)
        expect(statuses(await named('Bob', 3))).toEqual(all(3, 201))
        expect(alone).toEqual(['locked'])
      }),
    )
    expect((await tagged)?.status).toBe(200)
  })

  it('that holds a key that one write creates: that write waits alone', async () => {
    const externalId = randomUUID()
    const number = lockNumber('key', organization.id, organization.applicationId, 'contact', externalId)
    let sent: Promise<Answer>[] = []
    await whileHeld(lockNumbered, [number], async () => {
      await api.together(6, async () => {
        const bodies = [aContact({ externalId }), ...Array.from({ length: 5 }, () => aContact())]
        sent = bodies.map(body => organization.client.post('/contacts', body))
        const done = answered(sent)
        await until('five answers', () => done.count === 5)
      })
    })
    expect(statuses(await Promise.all(sent))).toEqual(all(6, 201))
  })

  it('that is alone in the queue and waits for a row', async () => {
    const [contact] = await named('Anna')
    let waiting: Promise<Answer> | undefined
    await whileHeld(lockRow, [organization.id, contact?.data.id], async () => {
      waiting = rename(contact?.data.id)
      expect(statuses(await named('Bob', 3))).toEqual(all(3, 201))
    })
    expect((await waiting)?.status).toBe(200)
  })

  it('whose key is in progress elsewhere: it gets a 409, and the others are served', async () => {
    const key = randomUUID()
    const number = lockNumber('idempotency', organization.id, organization.applicationId, key)
    const [contact] = await named('Anna')
    await whileHeld(lockNumbered, [number], async () => {
      const [busy, others] = await api.together(5, () =>
        Promise.all([
          organization.client.patch(
            `/contacts/${contact?.data.id}`,
            { expectedVersion: 1, jobTitle: 'Buyer' },
            { key },
          ),
          named('Bob', 4),
        ]),
      )
      expect([busy.status, busy.error.code]).toEqual([409, 'idempotency_in_progress'])
      expect(statuses(others)).toEqual(all(4, 201))
    })
    expect((await rename(contact?.data.id)).status).toBe(200)
  })
})

describe('the configuration that decides a group', () => {
  it('is the current one, also where the server remembers an older one', async () => {
    const { id, client, stages } = organization
    const [contact] = await named('Anna')
    const deal = () => client.post('/deals', aDeal({ contacts: [{ id: contact?.data.id }], stageUuid: stages.second }))
    expect((await deal()).status).toBe(201)
    await api.test.database.query(archiveStage, [id, stages.second])
    const answers = await api.together(4, () => Promise.all([deal(), deal(), rename(contact?.data.id), deal()]))
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 200, 422])
  })
})

describe('a failure in a group', () => {
  it('meets only the write that it belongs to, and at most doubles the work', async () => {
    const { groups } = watchGroups(api)
    const [before, poisoned, behind] = await api.together(40, () =>
      Promise.all([named('Anna', 20), named('Poison'), named('Bob', 19)]),
    )
    expect(statuses([...before, ...poisoned, ...behind])).toEqual([...all(39, 201), 500])
    expect(poisoned.map(({ status }) => status)).toEqual([500])
    const failed = failedIn(groups).reduce((sum, size) => sum + size, 0)
    expect(failed).toBeGreaterThan(0)
    expect(failed).toBeLessThanOrEqual(2 * 40)
    const [feed] = await api.test.database.search(feedOf, [organization.id])
    expect(feed?.is_whole).toBe(true)
  })

  it('leaves no refusal behind that rests on a write that was undone', async () => {
    const [contact] = await named('Anna')
    const id = contact?.data.id
    const [poisoned, second] = await api.together(2, () => Promise.all([rename(id, 1, 'Poison'), rename(id, 1, 'Bob')]))
    expect([poisoned.status, second.status]).toEqual([500, 200])
    expect(second.data).toMatchObject({ version: 2, firstName: 'Bob' })
  })

  it('does not meet another application, however often it is repeated', async () => {
    const other = (await organization.application()).client
    const { groups } = watchGroups(api)
    let isOver = false
    let refused = 0
    const attack = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        expect(statuses(await named('Poison'))).toEqual([500])
        refused += 1
      }
    })
    // When each has failed by itself, their application is known as long as one of them is in the queue.
    await until('two failures of each', () => refused >= 2 * attack.length)
    groups.length = 0
    for (let round = 0; round < 5; round += 1) expect(statuses(await named('Anna', 10, other))).toEqual(all(10, 201))
    isOver = true
    await Promise.all(attack)
    expect(Math.max(0, ...failedIn(groups))).toBeLessThanOrEqual(attack.length)
    expect(await countOf('Anna')).toBe(50)
  })
})

describe('a connection that is lost while a group commits', () => {
  it('is a 500 for each of it, and repeating with the keys does each once', async () => {
    const bodies = ['Anna', 'Lost', 'Bob', 'Cleo'].map(firstName => aContact({ firstName }))
    const keys = bodies.map(() => randomUUID())
    const send = () =>
      Promise.all(bodies.map((body, index) => organization.client.post('/contacts', body, { key: keys[index] ?? '' })))
    expect(statuses(await api.together(4, send))).toEqual(all(4, 500))
    expect(await countOf('Anna')).toBe(0)
    await api.test.database.script('drop trigger test_loss on contacts')
    const first = await send()
    const second = await send()
    expect(statuses(first)).toEqual(all(4, 201))
    expect(second.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
    expect(await countOf('Anna')).toBe(1)
  })
})

describe('a write that waits in the queue', () => {
  it('is dropped when its client leaves before the group begins', async () => {
    const headers = {
      authorization: `Bearer ${organization.client.token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    }
    const answers = await api.together(3, async () => {
      const gone = request(`${api.url}/api/v1/crm/contacts`, { method: 'POST', headers, agent: false })
      gone.on('error', () => {})
      gone.end(JSON.stringify(aContact({ firstName: 'Gone' })))
      await until('a write that waits', () => api.services.groupQueues.waiting === 1)
      gone.socket?.resetAndDestroy()
      await until('nobody who waits', () => api.services.groupQueues.waiting === 0)
      return named('Anna', 3)
    })
    expect(statuses(answers)).toEqual(all(3, 201))
    expect([await countOf('Gone'), await countOf('Anna')]).toEqual([0, 3])
  })

  it('gets a 503 after a while when there is no room, and has no effect', async () => {
    const answers: Answer[] = []
    const send = async () => void answers.push(...(await named('Late', 5)))
    await expect(api.together(1000, send)).rejects.toThrow('fewer than 1000 writes')
    expect(statuses(answers)).toEqual(all(5, 503))
    expect(await countOf('Late')).toBe(0)
  })
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { bounds, completeLastChanges } from '../../server/src/kernel/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { useApi } from './support/given.ts'
import { aRecord, type Kind, kinds, plurals } from './support/requests.ts'

const given = useApi()
afterEach(() => vi.restoreAllMocks())

const noSignal = new AbortController().signal
const complete = () => completeLastChanges.run(given.api.services, noSignal)

/** Records of a kind, the last changed first. */
async function recordsOf(kind: Kind, organization: TestOrganization): Promise<unknown[]> {
  const ids: unknown[] = []
  for (let count = 0; count < 4; count += 1) {
    given.clock.advance(1)
    ids.unshift((await aRecord(kind, organization)).id)
  }
  return ids
}

/** A server of a release without the table changes a record: its event has a number, but the record has no place in the order. */
async function changeByOlderServer({ id }: TestOrganization, kind: Kind, record: unknown): Promise<void> {
  const table = plurals[kind]
  await given.sql(
    `update ${table} set updated_at = updated_at + interval '1 hour' where organization_id = $1 and id = $2`,
    [id, record],
  )
  await given.sql('update organization_feed set seq = seq + 1 where organization_id = $1', [id])
}

const isComplete = async ({ id }: TestOrganization) =>
  (await given.sql('select last_changes_seq = seq as found from organization_feed where organization_id = $1', [id]))[0]
    ?.found

const rowsOf = async ({ id }: TestOrganization, kind: Kind) =>
  (
    await given.sql(
      'select resource_id as id from last_changes where organization_id = $1 and kind = $2 order by updated_at desc, resource_id desc',
      [id, kind],
    )
  ).map(row => row.id)

const listed = async ({ client }: TestOrganization, kind: Kind, more = '') => {
  const { items, meta } = await client.get(`/${plurals[kind]}?sort=-updatedAt${more}`)
  return { ids: items.map(({ id }) => id), isTruncated: meta.truncated }
}

describe.each(kinds)('the order of last changes of each %s', kind => {
  it('is that of the records, whatever a server of an older release has written, and is complete after the upkeep', async () => {
    const organization = await given.organization()
    const [newest, ...others] = await recordsOf(kind, organization)
    const oldest = others.pop()
    await changeByOlderServer(organization, kind, oldest)
    const wanted = { ids: [oldest, newest, ...others], isTruncated: false }
    setBound(bounds.listScatteredScan, 2)
    expect(await listed(organization, kind)).toMatchObject({
      ids: expect.arrayContaining(wanted.ids),
      isTruncated: false,
    })
    expect((await listed(organization, kind)).ids.slice(0, 4)).toEqual(wanted.ids)
    expect(await isComplete(organization)).toBe(false)
    await complete()
    expect(await isComplete(organization)).toBe(true)
    expect((await rowsOf(organization, kind)).slice(0, 4)).toEqual(wanted.ids)
    expect(await listed(organization, kind)).toMatchObject({ ids: [oldest, newest], isTruncated: true })
  })
})

describe('the upkeep of last changes', () => {
  it('fills the table for records that were there before it, and removes what is there of others', async () => {
    const organization = await given.organization()
    const ids = await recordsOf('task', organization)
    const { id } = organization
    await given.sql('delete from last_changes where organization_id = $1', [id])
    await given.sql('update organization_feed set last_changes_seq = -1 where organization_id = $1', [id])
    await given.sql(
      `insert into last_changes select $1, 'task', now() + interval '1 day' * n, gen_random_uuid() from generate_series(1, 3) as n`,
      [id],
    )
    await complete()
    expect(await rowsOf(organization, 'task')).toEqual(ids)
    expect(await listed(organization, 'task')).toEqual({ ids, isTruncated: false })
  })

  it('does not take the table for complete where a server of an older release has written meanwhile', async () => {
    const organization = await given.organization()
    const ids = await recordsOf('task', organization)
    await changeByOlderServer(organization, 'task', ids[0])
    const { database } = given.api.services
    const query = database.query.bind(database)
    vi.spyOn(database, 'query').mockImplementation(async (statement, ...others) => {
      const isOwn = others[0][0] === organization.id
      if (isOwn && statement.name === 'mark_last_changes_complete')
        await changeByOlderServer(organization, 'task', ids[1])
      return query(statement, ...others)
    })
    await complete()
    expect(await isComplete(organization)).toBe(false)
    vi.restoreAllMocks()
    await complete()
    expect(await isComplete(organization)).toBe(true)
  })

  it('leaves the table incomplete if it is stopped', async () => {
    const organization = await given.organization()
    const ids = await recordsOf('task', organization)
    await changeByOlderServer(organization, 'task', ids[0])
    const stop = new AbortController()
    const { database } = given.api.services
    const query = database.query.bind(database)
    vi.spyOn(database, 'query').mockImplementation(async (statement, ...others) => {
      if (statement.name === 'add_last_changes_of_contact') stop.abort()
      return query(statement, ...others)
    })
    await completeLastChanges.run(given.api.services, stop.signal)
    expect(await isComplete(organization)).toBe(false)
  })
})

describe('an erased contact', () => {
  it('has no last change in the order, and the others do', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [erased, ...others] = await recordsOf('contact', organization)
    given.clock.advance(1)
    const answer = await client.delete(`/contacts/${erased}`, { expectedVersion: 1, mode: 'anonymize' })
    expect(answer.status).toBe(200)
    expect(await rowsOf(organization, 'contact')).toEqual(others)
    expect((await listed(organization, 'contact')).ids).toEqual(others)
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Row, statement } from '../../server/src/kernel/sql/index.ts'
import {
  createOperator,
  createOrganization,
  createPipeline,
  createTag,
  setOrganization,
} from '../../server/src/settings/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/waiting.ts'

let test: TestDatabase
let organizationId: string
beforeAll(async () => {
  test = await createTestDatabase(12)
  organizationId = (await createOrganization(test, { name: 'Acme' })).id
})
afterAll(() => test?.drop())

const lockOrganization = statement(
  'test_lock_organization',
  'select 1 from organizations o where o.organization_id = $1 for no key update',
)
const countWaiting = statement(
  'test_count_waiting_settings',
  `select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%lock_organization_to_change%'`,
)

/** Makes changes that all have begun before the first of them is decided; resolves to how each ended. */
async function atOnce(changes: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const holder = await test.database.begin()
  await holder.query(lockOrganization, [organizationId])
  const ends = changes.map(change =>
    change().then(
      () => 'made',
      (error: Error) => error.message,
    ),
  )
  await until('all changes to wait', async () => {
    const [row] = await test.database.search(countWaiting, [])
    return row?.waiting === changes.length
  })
  await holder.rollback()
  return Promise.all(ends)
}

const select = (name: string, text: string): Promise<Row[]> =>
  test.database.search(statement(`test_settings_${name}`, text), [organizationId])

async function version(): Promise<number> {
  const [row] = await select(
    'version',
    'select o.directory_version as v from organizations o where o.organization_id = $1',
  )
  return Number(row?.v)
}

it('different changes of one organization all hold, each with a version of its own', async () => {
  const before = await version()
  const ends = await atOnce([
    () => createTag(test, { organizationId, name: 'One' }, ['deal']),
    () => createTag(test, { organizationId, name: 'Two' }, ['deal']),
    () => createOperator(test, { organizationId, name: 'Ann', email: 'ann@acme.example' }),
    () => setOrganization(test, { organizationId, timeZone: 'Asia/Tokyo' }),
    () => setOrganization(test, { organizationId, currencies: ['EUR'] }),
  ])
  expect(ends).toEqual(['made', 'made', 'made', 'made', 'made'])
  expect(await version()).toBe(before + 5)
  const [row] = await select(
    'row',
    `select o.time_zone, o.currencies, (select count(*)::integer from tags t where t.organization_id = o.id) as tags
       from organizations o where o.organization_id = $1`,
  )
  expect(row).toEqual({ time_zone: 'Asia/Tokyo', currencies: ['USD', 'EUR'], tags: 2 })
})

it('one of several tags of one name is created, and the others are refused with the reason', async () => {
  const names = ['VIP', 'vip', 'Vip']
  const ends = await atOnce(names.map(name => () => createTag(test, { organizationId, name }, ['deal'])))
  expect(ends.filter(end => end === 'made')).toHaveLength(1)
  expect(ends.filter(end => end.startsWith('another tag is named'))).toHaveLength(2)
})

it('the last of several default pipelines is the default, and all have places of their own', async () => {
  const stages = ['open', 'won', 'lost'].map(type => ({ name: type, type }))
  const names = ['A', 'B', 'C']
  const ends = await atOnce(
    names.map(name => () => createPipeline(test, { organizationId, name, stages, isDefault: true })),
  )
  expect(ends).toEqual(['made', 'made', 'made'])
  const pipelines = await select(
    'pipelines',
    'select p.is_default, p.position from pipelines p where p.organization_id = $1 order by p.position',
  )
  expect(pipelines).toEqual([0, 1, 2, 3].map(position => ({ position, is_default: position === 3 })))
})

it('changes of different organizations do not wait for each other', async () => {
  const other = await createOrganization(test, { name: 'Other' })
  const holder = await test.database.begin()
  await holder.query(lockOrganization, [organizationId])
  await createTag(test, { organizationId: other.id, name: 'VIP' }, ['deal'])
  await holder.rollback()
})

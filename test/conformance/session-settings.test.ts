import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { Database, migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { testSecret } from '../support/database.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { databaseUrl } from '../support/process.ts'

const server = inject('postgres')
const name = `test_${randomUUID().replaceAll('-', '')}`
const location = { ...server, database: name }
const maintenance = new Database({ location: server, connections: 1 })

/** Everything that an operator may have set otherwise for other programs, by database, by role and in the URL. */
const elsewhere = `
  alter database ${name} set timezone to 'Asia/Tokyo';
  alter database ${name} set datestyle to 'SQL, DMY';
  alter database ${name} set lock_timeout to '1ms';
  alter database ${name} set default_transaction_isolation to 'serializable';
  alter role ${server.user} in database ${name} set timezone to 'America/Caracas';
  alter role ${server.user} in database ${name} set client_encoding to 'LATIN1';
  alter role ${server.user} in database ${name} set statement_timeout to '10s';
  create schema crm;
  create extension pg_trgm;
  create extension btree_gin`
const options = encodeURIComponent('-c search_path=crm,public -c timezone=Asia/Kolkata -c plan_cache_mode=auto')
let database: Database
let api: TestApi
let organization: TestOrganization

beforeAll(async () => {
  await maintenance.script(`create database ${name}`)
  const first = new Database({ location, connections: 1 })
  await first.script(elsewhere)
  await first.close()
  database = new Database({ location: { url: `${databaseUrl(location)}&options=${options}&lock_timeout=7` } })
  await migrate(database)
  api = await startApi({ test: { database, location, secret: testSecret, drop: () => database.close() } })
  organization = await anOrganization(api)
})
afterAll(async () => {
  await api?.close()
  await maintenance.script(`drop database ${name} with (force)`)
  await maintenance.close()
})

const settings = ['timezone', 'datestyle', 'client_encoding', 'default_transaction_isolation', 'jit', 'lock_timeout']
const names = [
  ...settings,
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'plan_cache_mode',
  'search_path',
]
const selectSettings = statement(
  'test_session_settings',
  'select s.name, current_setting(s.name) as value from unnest($1::text[]) as s(name)',
)
const common = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  client_encoding: 'UTF8',
  default_transaction_isolation: 'read committed',
  jit: 'off',
  search_path: 'crm,public',
}
const waiting = { lock_timeout: '5s', idle_in_transaction_session_timeout: '10s' }

describe('on a database that is set otherwise, by itself, its role and the URL', () => {
  it('a time is answered as it was stored, and no change shifts it', async () => {
    const { client } = organization
    const before = Date.now()
    const created = await client.post('/contacts', aContact({ lastName: 'Пётр' }))
    const { id, createdAt } = created.data
    expect(Math.abs(Date.parse(String(createdAt)) - before)).toBeLessThan(60_000)
    for (const expectedVersion of [1, 2, 3]) {
      const changed = await client.patch(`/contacts/${id}`, { expectedVersion, firstName: `Anna ${expectedVersion}` })
      expect([changed.status, changed.data.createdAt]).toEqual([200, createdAt])
    }
    expect((await client.get(`/contacts/${id}`)).data).toMatchObject({ createdAt, lastName: 'Пётр' })
  })

  it('every connection has the settings of the server, and the other settings of the URL', async () => {
    const found = (rows: readonly Record<string, unknown>[]) =>
      Object.fromEntries(rows.map(row => [row.name, row.value]))
    const point = { ...common, ...waiting, statement_timeout: '30s', plan_cache_mode: 'force_generic_plan' }
    expect(found(await database.query(selectSettings, [names]))).toEqual(point)
    const search = { ...common, ...waiting, statement_timeout: '8s', plan_cache_mode: 'auto' }
    expect(found(await database.search(selectSettings, [names]))).toEqual(search)
    const patient = { lock_timeout: '0', statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
    for (const [setting, value] of Object.entries({ ...common, ...patient })) {
      const isOther = `current_setting('${setting}') <> '${value}'`
      await database.script(`do $$ begin if ${isOther} then raise exception '${setting}'; end if; end $$`)
    }
  })

  it('the tables are where the URL says', async () => {
    const where = statement('test_tables_of_schema', 'select schemaname from pg_tables where tablename = $1')
    expect(await database.search(where, ['contacts'])).toEqual([{ schemaname: 'crm' }])
  })
})

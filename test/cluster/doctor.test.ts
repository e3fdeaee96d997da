import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { Commands } from '../support/commands.ts'
import { testSecretText } from '../support/database.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { type ClusterDatabase, createClusterDatabase } from './cluster-database.ts'

let cluster: ClusterDatabase
let commands: Commands
let folder: string
beforeAll(async () => {
  cluster = await createClusterDatabase('empty')
  await cluster.everywhere(settings('5s', 'off'))
  folder = await mkdtemp(join(tmpdir(), 'crm-cli-'))
  const environment = { DATABASE_URL: cluster.url, CRM_SECRET: testSecretText, CRM_DATA_DIR: folder }
  commands = new Commands(cluster, environment, noEntrypoints)
})
afterAll(async () => {
  await cluster?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Settings of the role in the database of the test alone. */
const settings = (lockTimeout: string, seqscan: string) => `
  set citus.enable_ddl_propagation = off;
  alter role ${cluster.user} in database ${cluster.name} set lock_timeout = '${lockTimeout}';
  alter role ${cluster.user} in database ${cluster.name} set enable_seqscan = ${seqscan}`

async function doctor() {
  const { out, status } = await commands.run(['doctor', '--json'])
  const document: unknown = JSON.parse(out)
  const list = isObject(document) && Array.isArray(document.checks) ? document.checks.filter(isObject) : []
  const message = String(list.find(({ name }) => name === 'cluster')?.message)
  return { status, failed: list.filter(({ ok }) => ok !== true).map(({ name }) => name), message }
}

const isRight = {
  status: 0,
  failed: [],
  message: expect.stringMatching(/^Citus \S+, [2-9]\d* nodes, all tables distributed$/u),
}
const isWrong = { status: 1, failed: ['cluster'] }

test('names the tables of a cluster that are not distributed, until migrate --citus has distributed them', async () => {
  await commands.json('migrate')
  const before = await doctor()
  expect(before).toMatchObject(isWrong)
  expect(before.message).toMatch(
    /^stop every server and run migrate --citus: not distributed is .*api_tokens, .*organizations, .*contacts/u,
  )
  await commands.json('migrate', '--citus')
  expect(await doctor()).toEqual(isRight)
})

test('names a single table that was forgotten', async () => {
  await cluster.database.script('create table forgotten (organization_id uuid not null, id uuid not null)')
  expect(await doctor()).toEqual({
    ...isWrong,
    message: 'stop every server and run migrate --citus: not distributed is forgotten',
  })
  await cluster.database.script('drop table forgotten')
  expect(await doctor()).toEqual(isRight)
})

test('names each setting that the role lacks on a node, in words that make it', async () => {
  const [worker] = cluster.workers
  await worker?.script(settings('0', 'on'))
  const { message, ...lacking } = await doctor()
  expect(lacking).toEqual(isWrong)
  const words =
    /^run on (\S+): (alter role .* set lock_timeout = '5s'; alter role .* set enable_seqscan = 'off')$/u.exec(message)
  expect(words?.[1]).toBe(`${worker?.host}:${worker?.port}`)
  await worker?.script(String(words?.[2]).replaceAll(/alter role (\S+)/gu, `alter role $1 in database ${cluster.name}`))
  expect(await doctor()).toEqual(isRight)
})

test('names a node that is not active', async () => {
  const last = cluster.workers.at(-1)
  await cluster.database.script(`update pg_dist_node set isactive = false where nodeport = ${last?.port}`)
  const { status, message } = await doctor()
  expect({ status, message }).toEqual({
    status: 1,
    message: `${last?.host}:${last?.port} is not active: see select citus_activate_node`,
  })
  await cluster.database.script(`update pg_dist_node set isactive = true where nodeport = ${last?.port}`)
  expect(await doctor()).toEqual(isRight)
})

test('names a node that cannot be reached', async () => {
  const last = cluster.workers.at(-1)
  await cluster.database.script(`update pg_dist_node set nodeport = 1 where nodeport = ${last?.port}`)
  const { status, message } = await doctor()
  expect({ status, message }).toEqual({
    status: 1,
    message: expect.stringMatching(new RegExp(`^${last?.host}:1 does not answer: .*failed`, 'u')),
  })
  await cluster.database.script(`update pg_dist_node set nodeport = ${last?.port} where nodeport = 1`)
  expect(await doctor()).toEqual(isRight)
})

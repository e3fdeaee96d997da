import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { Database, statement } from '../../server/src/kernel/sql/index.ts'
import { createApplication, createOrganization } from '../../server/src/settings/index.ts'
import { Client } from '../support/client.ts'
import { runCommand } from '../support/commands.ts'
import { compiledProgram } from '../support/compiled.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { type Ending, postmasterOf, type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { administrationOf, besideServer } from './support/installations.ts'

const selectOrganizations = statement('test_organizations', 'select o.id from organizations o')

const processes = useProcesses()
let folder: string
let server: Server
let postmaster: number | null
let organization: string

/** Runs a command beside the server, which is another process: what it prints is one JSON document. */
async function crm(...words: string[]): Promise<JsonObject> {
  return documentOf(words, await runCommand([...words, '--json'], { CRM_DATA_DIR: folder }, noEntrypoints))
}

function documentOf(words: readonly string[], { status, out, err }: Pick<Ending, 'status' | 'out' | 'err'>) {
  if (status !== 0) throw new Error(`${words.join(' ')}: ${err}`)
  const document: unknown = JSON.parse(out)
  if (!isObject(document)) throw new Error(`no JSON object: ${out}`)
  return document
}

beforeAll(async () => {
  folder = await processes.startedBefore()
  server = await processes.serve({ CRM_DATA_DIR: folder })
  postmaster = await postmasterOf(folder)
})

describe('a change by a command takes effect in the running server at once', () => {
  let application: string
  let token: JsonObject
  let client: Client

  beforeAll(async () => {
    const database = await besideServer(folder)
    organization = (await createOrganization(administrationOf(database), { name: 'Acme' })).id
    application = (await createApplication(administrationOf(database), { organizationId: organization, name: 'ERP' }))
      .id
    await database.close()
    token = await crm('token', 'create', '--application', application, '--name', 'Test', '--scopes', 'all')
    client = new Client(server.url, String(token.token))
  })

  const outcome = async () => {
    const { status, error } = await client.get('/contacts?limit=1')
    return [status, error.code ?? null].join(' ').trim()
  }
  // A second is promised; the rest is for a machine that is busy otherwise.
  const soon = (expected: string) => until(expected, async () => (await outcome()) === expected, 5000)

  test('a new token is accepted', async () => {
    expect(await outcome()).toBe('200')
  })

  test('the tokens of a disabled application are refused, and accepted again with another limit', async () => {
    await crm('application', 'set', application, '--disabled')
    await soon('401 invalid_token')
    await crm('application', 'set', application, '--enabled', '--rate-read', '2000')
    await soon('200')
    expect((await client.get('/contacts?limit=1')).headers.get('ratelimit-limit')).toBe('2000')
  })

  test('an organization with another provider is not served any more', async () => {
    await crm('organization', 'set', '--organization', organization, '--provider', 'external')
    await soon('409 crm_provider_not_supported')
  })

  test('a revoked token is refused', async () => {
    await crm('token', 'revoke', String(token.id))
    await soon('401 invalid_token')
  })

  test('the reason of a refusal stands with the token and, with the address, in the log', async () => {
    const id = String(token.id)
    await until('the reason', async () => (await crm('token', 'show', id)).lastRefusedReason === 'revoked', 10_000)
    expect((await crm('token', 'show', id)).lastRefusedIp).toBe('127.0.0.1')
    // The log tells of an address once a second, and the tests before were refused for another reason.
    const line = await until('the line of the log', async () => {
      await outcome()
      const lines = server.err.split('\n').filter(each => each.includes('"a token was refused"'))
      return lines.find(each => each.includes('"revoked"'))
    })
    const told = { address: '127.0.0.1', tokenId: id, applicationId: application, organizationId: organization }
    expect(JSON.parse(line)).toMatchObject({ reason: 'revoked', ...told })
    expect(server.err).not.toContain(String(token.token))
  })

  test('a setting that nothing refers to is removed', async () => {
    const { id } = await crm('tag', 'create', '--organization', organization, '--name', 'VIP')
    expect(await crm('tag', 'remove', String(id))).toEqual({ id })
    expect(await crm('tag', 'list', '--organization', organization)).toEqual({ tags: [] })
  })
})

describe('a token for metrics', () => {
  // As a proxy forwards the requests of others: from loopback alone nobody is asked for a token.
  const scrape = async (token: string) => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', Authorization: `Bearer ${token}` }
    return fetch(`${server.url}/metrics`, { headers })
  }

  test('opens /metrics and no route of the API, until it is revoked', async () => {
    const { id, token } = await crm('token', 'create', '--metrics', '--name', 'Prometheus')
    const shown = await scrape(String(token))
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('crm_ready')])
    expect((await new Client(server.url, String(token)).get('/capabilities')).status).toBe(401)
    expect(await crm('token', 'metrics')).toMatchObject({ tokens: [{ id, name: 'Prometheus' }] })
    expect(await crm('token', 'revoke', String(id))).toEqual({ id })
    expect((await scrape(String(token))).status).toBe(401)
  })

  test('is required by /metrics: the token of a tenant does not open it', async () => {
    const { id: tenant } = await crm('organization', 'create', '--name', 'Metered')
    const { id: application } = await crm('application', 'create', '--organization', String(tenant), '--name', 'ERP')
    const { token } = await crm(
      'token',
      'create',
      '--application',
      String(application),
      '--name',
      'T',
      '--scopes',
      'all',
    )
    expect((await new Client(server.url, String(token)).get('/capabilities')).status).toBe(200)
    expect((await scrape(String(token))).status).toBe(401)
  })

  test('has no application and no scopes, and any other token needs both', async () => {
    const reasonOf = async (...words: string[]) =>
      (await runCommand(['token', 'create', '--name', 'T', ...words], { CRM_DATA_DIR: folder }, noEntrypoints)).err
    expect(await reasonOf('--metrics', '--scopes', 'all')).toContain(
      'a token for metrics has no application and no scopes',
    )
    expect(await reasonOf('--scopes', 'all')).toContain('a token needs --application and --scopes, or --metrics')
  })
})

test('a command whose output is lost says so with its status', async () => {
  const unheard = processes.start(['demo', 'token'], { CRM_DATA_DIR: folder })
  unheard.leave()
  expect(await unheard.ended).toMatchObject({ status: 1, signal: null })
})

test('commands leave running servers alone, and work without a server too', async () => {
  expect(await postmasterOf(folder)).toBe(postmaster)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)

  await server.end('SIGTERM')
  const words = ['organization', 'create', '--name', 'Without a server', '--json']
  const alone = documentOf(words, await processes.run(words, { CRM_DATA_DIR: folder }))
  expect(await postmasterOf(folder)).toBeNull()

  const postgres = await startEmbeddedPostgres({ dataDirectory: folder })
  const database = new Database({ location: postgres.connection, connections: 1 })
  const ids = (await database.query(selectOrganizations, [])).map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([organization, alone.id]))
  await database.close()
  await postgres.stop()
})

test('a command loads neither the server nor the checks of request bodies', async () => {
  const program = `process.argv.splice(1, 0, 'crm-server')
    await import(${JSON.stringify(await compiledProgram())})
    const { createRequire } = await import('node:module')
    console.log(Object.keys(createRequire(process.cwd() + '/').cache).join('\\n'))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program,
    'tag',
    '--help',
  ])
  expect(stdout).toContain('/node_modules/commander/')
  expect(stdout).not.toMatch(/node_modules\/(fastify|ajv|ioredis|pino|prom-client|undici)\//u)
})

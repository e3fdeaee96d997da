import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { ScenarioClock } from '../../scenarios/play.ts'
import type { Exchange } from '../../scenarios/scenario.ts'
import { ScriptedServer } from '../../scenarios/scripted-server.ts'
import { Client, type ClientOptions, environment } from './client.ts'
import { ConnectionLost, CrmError, NotFound, VersionConflict } from './errors.ts'
import type { Operation } from './operation.ts'
import { version } from './version.ts'

const get: Operation = { id: 'contacts.get', method: 'GET', path: '/api/v1/crm/contacts/{id}', query: true }
const create: Operation = {
  id: 'contacts.create',
  method: 'POST',
  path: '/api/v1/crm/contacts',
  body: 'json',
  keyed: true,
}
const request = { method: 'GET', target: '/api/v1/crm/contacts/c1' }
const found: Exchange = { request, answer: { status: 200, json: { data: { id: 'c1' }, meta: {} } } }
const lost: Exchange = { request, fault: 'close' }
const refused: Exchange = { request, answer: { status: 404, json: { error: { code: 'not_found', message: 'No.' } } } }

let server: ScriptedServer | undefined
afterEach(() => server?.stop())

/** A client of a server with a script. */
async function clientOf(exchanges: readonly Exchange[], options: Partial<ClientOptions> = {}): Promise<Client> {
  const clock = new ScenarioClock()
  server = await ScriptedServer.start(exchanges, () => undefined)
  return new Client({ url: server.url, token: 'secret-token', clock, ...options })
}

test.each([
  { url: 'ftp://crm.example' },
  { url: 'https://user:word@crm.example' },
  { url: 'https://crm.example/?a=b' },
  { url: 'crm.example' },
  { token: '' },
  { token: 'two\nlines' },
  { timeout: 0 },
  { deadline: Number.NaN },
  { attempts: -1 },
])('options with which no call can succeed are refused: %j', options => {
  const make = () => new Client({ url: 'https://crm.example', token: 'secret-token', ...options })
  expect(make).toThrow(TypeError)
  expect(make).not.toThrow(/two/u)
})

test.each(['', '.', '..'])('a part of the path that would lead elsewhere is refused: "%s"', async id => {
  const client = await clientOf([])
  await expect(client.request(get, { path: [id] })).rejects.toThrow(TypeError)
  expect(server?.received).toEqual([])
})

test.each(['', 'two words', 'ä', 'x'.repeat(256)])(
  'a key that the API refuses is not sent: %s',
  async idempotencyKey => {
    const client = await clientOf([])
    await expect(client.request(create, { body: {} }, { idempotencyKey })).rejects.toThrow('1 to 255')
    expect(server?.received).toEqual([])
  },
)

test('the environment names server and token', () => {
  vi.stubEnv('CRM_URL', 'https://crm.example')
  vi.stubEnv('CRM_TOKEN', '')
  expect(environment).toThrow('set CRM_URL and CRM_TOKEN')
  vi.stubEnv('CRM_TOKEN', 'secret-token')
  expect(environment()).toEqual({ url: 'https://crm.example', token: 'secret-token' })
  vi.unstubAllEnvs()
})

test('the version is that of the package, and the client names it with its runtime', async () => {
  const described: { readonly version: string } = JSON.parse(readFileSync('packages/sdk/package.json', 'utf8'))
  expect(version).toBe(described.version)
  await (await clientOf([found])).request(get, { path: ['c1'] })
  const [major] = process.versions.node.split('.')
  expect(server?.received[0]?.headers['user-agent']).toBe(`crm-sdk/${version} (node/${major})`)
})

test('neither the client nor its log nor its errors show the token or a body', async () => {
  const log: object[] = []
  const client = await clientOf([lost, { ...refused, request: { method: 'POST', target: '' } }], {
    log: entry => log.push(entry),
  })
  const error: unknown = await client.request(create, { body: { firstName: 'Ada' } }).catch((reason: unknown) => reason)
  expect(log).toHaveLength(2)
  expect(error).toBeInstanceOf(NotFound)
  expect(inspect([client, log, error], { depth: 10, showHidden: true })).not.toMatch(/secret-token|Ada/u)
})

test('a call that is aborted throws the reason of the signal: before it, in an attempt, and in a wait', async () => {
  const reason = new Error('not needed any more')
  const client = await clientOf([{ request, fault: 'silence' }])
  await expect(client.request(get, { path: ['c1'] }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(server?.received).toEqual([])

  const during = new AbortController()
  const fetched: typeof fetch = (input, init) => {
    setTimeout(() => during.abort(reason), 1)
    return fetch(input, init)
  }
  const stopped = await clientOf([{ request, fault: 'silence' }], { fetch: fetched })
  await expect(stopped.request(get, { path: ['c1'] }, { signal: during.signal })).rejects.toBe(reason)

  const waiting = new AbortController()
  const { realClock } = await import('./clock.ts')
  const patient = await clientOf([lost, found], { clock: realClock, random: () => 1 })
  const options = { signal: waiting.signal, onRetry: () => setTimeout(() => waiting.abort(reason), 1) }
  await expect(patient.request(get, { path: ['c1'] }, options)).rejects.toBe(reason)
  expect(server?.received).toHaveLength(1)
})

test('the real clock waits, and ends an attempt without an answer', async () => {
  const { realClock } = await import('./clock.ts')
  const client = await clientOf([{ request, fault: 'silence' }, found], { clock: realClock, random: () => 0.001 })
  const seen: string[] = []
  const options = { timeout: 20, onRetry: (error: CrmError) => seen.push(error.code) }
  await client.request(get, { path: ['c1'] }, options).catch(() => undefined)
  expect(seen[0]).toBe('timed_out')
})

test('a machine that slept through the time of a call throws why the last attempt failed, and sends nothing more', async () => {
  const clock = new ScenarioClock()
  const client = await clientOf([lost, found], {
    clock: { now: () => clock.now(), timeout: () => () => {}, sleep: () => clock.sleep(3_600_000) },
  })
  await expect(client.request(get, { path: ['c1'] })).rejects.toThrow(ConnectionLost)
  expect(server?.received).toHaveLength(1)
})

test('a failure that is handled in one form of an answer is handled', async () => {
  const client = await clientOf([refused])
  await expect(client.request(get, { path: ['c1'] }).withResponse()).rejects.toThrow(NotFound)
})

test('an error is known by its brand, also if another copy of the package made it', async () => {
  vi.resetModules()
  const other = await import('./errors.ts')
  const error = new other.VersionConflict({ code: 'version_conflict', message: '', details: { currentVersion: 3 } })
  expect(error).not.toBeInstanceOf(VersionConflict)
  expect(CrmError.is(error) && VersionConflict.is(error)).toBe(true)
  expect(VersionConflict.is(error) && error.currentVersion).toBe(3)
  expect(NotFound.is(error)).toBe(false)
  for (const value of [new Error('x'), undefined, null, 'text', { code: 'not_found' }])
    expect(CrmError.is(value)).toBe(false)
})

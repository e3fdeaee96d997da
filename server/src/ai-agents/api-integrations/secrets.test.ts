import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anIntegration,
  anIntegrationBody,
  integrationsPath,
} from '../../../../test/conformance/support/integrations.ts'
import { outcome } from '../../../../test/conformance/support/requests.ts'
import { startApi, type TestApi } from '../../../../test/support/api.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../../../../test/support/commands.ts'
import { testSecretText } from '../../../../test/support/database.ts'
import { noEntrypoints } from '../../../../test/support/no-entrypoints.ts'
import { anOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { fingerprint } from '../../kernel/idempotency/index.ts'
import { Secret } from '../../kernel/index.ts'
import { Outbound } from '../../kernel/outbound/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { testIntegration } from './index.ts'

let api: TestApi
let commands: Commands
let organization: TestOrganization

beforeAll(async () => {
  api = await startApi()
  commands = await commandsOn(api.test, noEntrypoints)
  organization = await anOrganization(api)
})
afterAll(async () => {
  await removeFolder(commands)
  await api.close()
})

const removeAll = () => sql('remove', 'delete from api_integrations t where t.organization_id is not null')
const sql = (name: string, text: string, values: readonly unknown[] = []) =>
  api.test.database.query(statement(`test_secrets_${name}`, text), values)
const addressOf = ({ id }: JsonObject) => `${integrationsPath}/${id}`
const storedOf = async ({ id }: JsonObject) =>
  (await sql('stored', 'select t.secret from api_integrations t where t.id = $1', [id]))[0]?.secret

/** A secret that occurs nowhere else. */
const aSecret = () => `sk_${randomUUID()}`

/** The forms in which a secret could be kept or told. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // Base64 of a text that the secret is a part of depends on where it begins.
  const shifted = [0, 1, 2].map(before =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(before + 4, -4),
  )
  return [secret, ...shifted, bytes.toString('hex')]
}

function expectHidden(text: string, ...secrets: readonly string[]): void {
  for (const form of secrets.flatMap(formsOf)) expect(text.includes(form), form).toBe(false)
}

/** All rows of all tables, as text. */
async function wholeDatabase(): Promise<string> {
  const tables = await sql(
    'tables',
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  )
  expect(tables.length).toBeGreaterThan(40)
  const rows = await Promise.all(
    tables.map(({ name }) =>
      api.test.database.search({ name: '', text: `select to_jsonb(t)::text as row from ${name} t` }, []),
    ),
  )
  return rows.flatMap(found => found.map(({ row }) => String(row))).join('\n')
}

describe('a secret', () => {
  it('is in no answer, replay, refusal, audit entry, stored answer, or any other place of the database', async () => {
    const { client } = organization
    const [first, second, third] = [aSecret(), aSecret(), aSecret()]
    const key = randomUUID()
    const body = anIntegrationBody({ secret: first })
    const answers: Answer[] = []
    const send = async (answer: Promise<Answer>, expected: string) => {
      answers.push(await answer)
      expect(outcome(answers.at(-1) ?? (await answer))).toBe(expected)
    }
    await send(client.post(integrationsPath, body, { key }), '201')
    const path = addressOf(answers[0]?.data ?? {})
    await send(client.post(integrationsPath, body, { key }), '201')
    await send(client.post(integrationsPath, { ...body, secret: second }, { key }), '409 idempotency_conflict')
    await send(client.patch(path, { secret: second }, { key: `${key}-2` }), '200')
    await send(client.patch(path, { secret: second }, { key: `${key}-2` }), '200')
    await send(client.patch(path, { secret: third, enabled: 'no' }), '400 validation_error')
    await send(client.patch(path, { secret: [third] }), '400 validation_error')
    await send(client.patch(path, { secret: `${third}\n` }), '400 validation_error')
    await send(client.patch(path, { secret: third.repeat(200) }), '400 validation_error')
    await send(client.patch(path, { Secret: third, [third]: 1 }), '400 validation_error')
    await send(client.patch(path, undefined, { raw: `{"secret":"${third}"` }), '400 validation_error')
    await send(client.get(path), '200')
    await send(client.get(integrationsPath), '200')
    await send(client.get('/audit?resourceType=api_integration'), '200')
    const told = answers.map(({ body }) => JSON.stringify(body)).join('\n')
    // A member that is unknown is named.
    expectHidden(told.replaceAll(`/${third}`, ''), first, second, third)
    expect(told).toContain('"hasSecret":true')
    expectHidden(await wholeDatabase(), first, second, third)
    expect(
      new Secret(testSecretText).keyring.decrypt(String(await storedOf(answers[0]?.data ?? {})), {
        organizationId: organization.id,
        kind: 'api_integration',
        recordId: String(answers[0]?.data.id),
      }),
    ).toBe(second)
    expect(api.failures).toEqual([])
  })

  it('cannot be tried out on the fingerprint of its request', async () => {
    const [key, secret] = [randomUUID(), aSecret()]
    const body = anIntegrationBody({ secret })
    await organization.client.post(integrationsPath, body, { key })
    const [row] = await sql('fingerprint', 'select a.fingerprint from idempotency_answers a where a.key = $1', [key])
    const request = { method: 'POST', route: integrationsPath, path: {}, query: {} }
    expect(row?.fingerprint).toBeInstanceOf(Buffer)
    expect(row?.fingerprint).not.toEqual(fingerprint({ ...request, body }))
    const hidden = { secret: new Secret(testSecretText).fingerprint(secret) }
    expect(row?.fingerprint).toEqual(fingerprint({ ...request, body: { ...body, secret: hidden } }))
  })

  it('is in no report of a failure inside', async () => {
    const secret = aSecret()
    await api.test.database.script('alter table api_integrations add constraint test_never check (enabled) not valid')
    const answer = await organization.client.post(integrationsPath, anIntegrationBody({ secret, enabled: false }))
    await api.test.database.script('alter table api_integrations drop constraint test_never')
    expect(answer.status).toBe(500)
    expect(api.failures).toHaveLength(1)
    expectHidden(inspect(api.failures, { depth: 20, maxStringLength: null }) + JSON.stringify(answer.body), secret)
    api.failures.length = 0
  })

  it('stays when a change does not name it, and goes with null', async () => {
    const { client } = organization
    const before = await anIntegration(organization)
    const stored = await storedOf(before)
    expect((await client.patch(addressOf(before), { description: 'Another' })).data).toMatchObject({
      hasSecret: true,
      secretUpdatedAt: before.secretUpdatedAt,
    })
    expect(await storedOf(before)).toBe(stored)
    expect((await client.patch(addressOf(before), { secret: null })).data).toMatchObject({
      hasSecret: false,
      secretUpdatedAt: null,
    })
    expect(await storedOf(before)).toBeNull()
    const { data } = await client.patch(addressOf(before), { secret: aSecret() })
    expect([data.hasSecret, data.secretUpdatedAt]).toEqual([true, data.updatedAt])
  })

  const to = (url: string) => ({ url, parameters: [] })
  it.each<[string, JsonObject, boolean]>([
    ['another host', to('https://evil.example.com/'), false],
    ['a host below', to('https://x.api.example.com/'), false],
    ['the host above', to('https://example.com/'), false],
    ['another port', to('https://api.example.com:8443/'), false],
    ['a host that begins alike', to('https://api.example.com.evil.example/'), false],
    ['the host with a dot', to('https://api.example.com./'), false],
    ['another type of auth', { auth: { type: 'api_key' } }, false],
    ['no auth', { auth: { type: 'none' } }, false],
    ['another path', to('https://api.example.com/other?x=y'), true],
    ['the host in other letters', to('HTTPS://API.Example.COM/'), true],
    ['the usual port', to('https://api.example.com:443/'), true],
    ['the same type of auth', { auth: { type: 'bearer' } }, true],
    [
      'everything else',
      { name: `other_${randomUUID().slice(0, 8)}`, method: 'PUT', enabled: false, headers: [] },
      true,
    ],
  ])('with %s is kept only where it belongs', async (_what, change, isKept) => {
    const before = await anIntegration(organization)
    const { status, data } = await organization.client.patch(addressOf(before), change)
    expect([status, data.hasSecret, data.secretUpdatedAt !== null]).toEqual([200, isKept, isKept])
    expect((await storedOf(before)) !== null).toBe(isKept)
  })

  it('that is sent along goes to another host', async () => {
    const before = await anIntegration(organization)
    const change = { ...to('https://other.example.com/'), auth: { type: 'basic' }, secret: aSecret() }
    expect((await organization.client.patch(addressOf(before), change)).data.hasSecret).toBe(true)
    const back = { ...to('https://api.example.com/'), secret: null }
    expect((await organization.client.patch(addressOf(before), back)).data.hasSecret).toBe(false)
  })

  it('does not come back with the host that it was for', async () => {
    const before = await anIntegration(organization)
    await organization.client.patch(addressOf(before), to('https://evil.example.com/'))
    const { data } = await organization.client.patch(addressOf(before), to('https://api.example.com/'))
    expect(data.hasSecret).toBe(false)
  })

  it('that was copied to another integration, or to another organization, is not read there', async () => {
    const other = await anOrganization(api)
    const [source, target, foreign] = [
      await anIntegration(organization),
      await anIntegration(organization),
      await anIntegration(other),
    ]
    await sql('copy', 'update api_integrations t set secret = $2 where t.id = any($1::uuid[])', [
      [target.id, foreign.id],
      await storedOf(source),
    ])
    const outbound = new Outbound({ allowedNetworks: [] })
    for (const [organizationId, { id }] of [
      [organization.id, target],
      [other.id, foreign],
    ] as const) {
      const test = { organizationId, id: String(id), parameters: { orderNumber: '1' } }
      const parts = { database: api.test.database, secret: api.test.secret, outbound }
      await expect(testIntegration(test, parts)).rejects.toThrow('cannot be decrypted')
    }
  })
})

describe('secret rotate', () => {
  const next = 'the next secret of the tests, long enough'
  const rotating = () => ({ ...commands.environment, CRM_SECRET: next, CRM_SECRET_PREVIOUS: testSecretText })
  const rotate = async (environment: Readonly<Record<string, string>>) => {
    const { status, out } = await commands.run(['secret', 'rotate', '--json'], environment)
    return [status, JSON.parse(out)]
  }
  const readable = async (text: string, { id }: JsonObject) => {
    const place = { organizationId: organization.id, kind: 'api_integration', recordId: String(id) }
    return new Secret(text).keyring.decrypt(String(await storedOf({ id })), place)
  }
  it('encrypts each secret of all organizations anew, once', async () => {
    await removeAll()
    const integrations = [
      await anIntegration(organization),
      await anIntegration(organization),
      await anIntegration(organization, { secret: null }),
    ]
    await anIntegration(await anOrganization(api))
    const before = await storedOf(integrations[0] ?? {})
    expect(await rotate({ ...commands.environment })).toEqual([0, { encrypted: 0, unreadable: 0 }])
    expect(await storedOf(integrations[0] ?? {})).toBe(before)
    expect(await rotate(rotating())).toEqual([0, { encrypted: 3, unreadable: 0 }])
    expect(await readable(next, integrations[0] ?? {})).toBe('sk_live_4eC39HqLyjWDarjtT1zdp7dc')
    expect(await readable(testSecretText, integrations[0] ?? {})).toBeNull()
    expect(await storedOf(integrations[2] ?? {})).toBeNull()
    expect(await rotate(rotating())).toEqual([0, { encrypted: 0, unreadable: 0 }])
    // The members of an integration are none of its business.
    expect((await organization.client.get(addressOf(integrations[0] ?? {}))).data).toEqual(integrations[0])
  })

  it('goes on with secrets that a server has written since', async () => {
    await removeAll()
    const integration = await anIntegration(organization)
    expect(await rotate(rotating())).toEqual([0, { encrypted: 1, unreadable: 0 }])
    await organization.client.patch(addressOf(integration), { secret: 'changed-meanwhile' })
    expect(await rotate(rotating())).toEqual([0, { encrypted: 1, unreadable: 0 }])
    expect(await readable(next, integration)).toBe('changed-meanwhile')
  })

  it('encrypts more secrets than fit in one portion', async () => {
    await removeAll()
    const { id } = organization
    const keyring = new Secret(testSecretText).keyring
    const ids = Array.from({ length: 250 }, () => randomUUID())
    const secrets = ids.map(recordId => keyring.encrypt('s', { organizationId: id, kind: 'api_integration', recordId }))
    await sql(
      'many',
      `insert into api_integrations (organization_id, id, version, created_at, updated_at, name, description, method, url,
         parameters, headers, auth, timeout_seconds, enabled, secret, secret_updated_at)
       select $1, n.id, 1, now(), now(), 'n' || n.place, 'd', 'GET', 'https://example.com', '[]', '[]', '{"type":"bearer"}', 10,
         true, n.secret, now()
         from unnest($2::uuid[], $3::text[]) with ordinality as n(id, secret, place)`,
      [id, ids, secrets],
    )
    expect(await rotate(rotating())).toEqual([0, { encrypted: 250, unreadable: 0 }])
  })

  it('counts the secrets that no key decrypts, leaves them as they are, and fails', async () => {
    await removeAll()
    const integration = await anIntegration(organization)
    await anIntegration(organization)
    const stored = await storedOf(integration)
    const lost = { ...commands.environment, CRM_SECRET: next, CRM_SECRET_PREVIOUS: 'a secret that never was one' }
    expect(await rotate(lost)).toEqual([1, { encrypted: 0, unreadable: 2 }])
    expect(await storedOf(integration)).toBe(stored)
    const { status, out } = await commands.run(['secret', 'rotate'], lost)
    expect([status, out]).toEqual([1, expect.stringContaining('2 cannot be decrypted')])
    await removeAll()
  })

  it('leads back to the former one', async () => {
    const back = { CRM_SECRET: testSecretText, CRM_SECRET_PREVIOUS: next }
    expect(await rotate({ ...commands.environment, ...back })).toEqual([0, { encrypted: 0, unreadable: 0 }])
  })

  it.each(['CRM_SECRET', 'CRM_SECRET_PREVIOUS'])('refuses a short %s', async name => {
    const { status, err } = await commands.run(['secret', 'rotate'], { ...rotating(), [name]: 'short' })
    expect([status, err]).toEqual([1, `${name} has at least 16 characters\n`])
  })
})

describe('doctor', () => {
  const examined = async (environment: Readonly<Record<string, string>> = commands.environment) => {
    const { status, out } = await commands.run(['doctor', '--json'], environment)
    const { checks }: { checks: { name: string; ok: boolean; message: string }[] } = JSON.parse(out)
    const { ok, message } = checks.find(({ name }) => name === 'stored secrets') ?? {}
    return { status, ok, message, out }
  }
  const keyIdOf = (stored: unknown) => String(stored).split('.')[0]

  it('says how many secrets there are, with the present key and the former one', async () => {
    await removeAll()
    expect(await examined()).toMatchObject({ status: 0, ok: true, message: '0, each decrypted with the present keys' })
    await anIntegration(organization)
    await anIntegration(await anOrganization(api))
    await anIntegration(organization, { secret: null })
    const both = { CRM_SECRET: 'the next secret of the tests', CRM_SECRET_PREVIOUS: testSecretText }
    for (const environment of [commands.environment, { ...commands.environment, ...both }])
      expect(await examined(environment)).toMatchObject({
        status: 0,
        message: '2, each decrypted with the present keys',
      })
  })

  it('fails when the present keys do not decrypt some secrets, names their organizations and keys, and shows no part of a secret', async () => {
    await removeAll()
    const other = await anOrganization(api)
    const [own, second, foreign] = [
      await anIntegration(organization),
      await anIntegration(organization),
      await anIntegration(other),
    ]
    const stored = await Promise.all([own, second, foreign].map(storedOf))
    const lost = { ...commands.environment, CRM_SECRET: 'the next secret of the tests' }
    const { status, ok, message, out } = await examined(lost)
    expect([status, ok]).toEqual([1, false])
    const key = keyIdOf(stored[0])
    expect(message).toContain('3 of 3 cannot be decrypted with the present keys: ')
    expect(message).toContain(`2 of organization ${organization.id} (key ${key})`)
    expect(message).toContain(`1 of organization ${other.id} (key ${key})`)
    expect(message).toContain('CRM_SECRET_PREVIOUS and run `secret rotate`')
    for (const part of stored.flatMap(each => String(each).split('.').slice(1))) expect(out).not.toContain(part)
  })

  it('distinguishes altered and malformed secrets from whole ones', async () => {
    await removeAll()
    const [altered, strange] = [await anIntegration(organization), await anIntegration(organization)]
    await anIntegration(organization)
    const stored = String(await storedOf(altered))
    const change = async ({ id }: JsonObject, to: string) =>
      sql('alter', 'update api_integrations t set secret = $2 where t.id = $1', [id, to])
    await change(altered, `${stored.slice(0, -4)}${stored.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`)
    await change(strange, 'plain-text-that-somebody-put-here')
    const { status, message, out } = await examined()
    expect(status).toBe(1)
    expect(message).toContain(`2 of 3 cannot be decrypted`)
    const keys = [keyIdOf(stored), 'unknown'].sort().join(', ')
    expect(message).toContain(`2 of organization ${organization.id} (keys ${keys})`)
    expect(out).not.toContain('plain-text')
    await removeAll()
  })
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { anIntegrationBody, integrationsPath } from '../conformance/support/integrations.ts'
import { aCalledTlsServer } from '../support/called-server.ts'
import type { Client } from '../support/client.ts'
import { type Server, useProcesses } from '../support/process.ts'
import { demoClient } from './support/installations.ts'

const processes = useProcesses()
const secret = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
let folder: string
let server: Server
let client: Client

beforeAll(async () => {
  folder = await processes.startedBefore()
  server = await processes.serve({ CRM_DATA_DIR: folder })
  client = await demoClient(server, folder)
})

async function created(members: JsonObject): Promise<string> {
  const { status, data } = await client.post(integrationsPath, anIntegrationBody(members))
  expect(status).toBe(201)
  return String(data.id)
}

async function run(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return processes.run(words, { CRM_DATA_DIR: folder, ...variables })
}

test('a command calls the other system, where the operator allows its network', async () => {
  const called = await aCalledTlsServer(['localhost'], (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ found: true, '\u001b[31m': request.headers.authorization }))
  })
  const certificate = join(folder, 'authority.pem')
  await writeFile(certificate, called.certificate)
  const trusting = { NODE_EXTRA_CA_CERTS: certificate }
  const id = await created({ url: `https://localhost:${called.port}/orders/{orderNumber}`, secret })
  const words = ['integration', 'test', id, '--params', '{"orderNumber":"7/8"}']

  expect(await run(words, trusting)).toMatchObject({
    status: 1,
    out: '',
    err: 'forbidden: localhost is no public address, and the operator has not allowed it\n',
  })
  const allowing = { ...trusting, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8, ::1' }
  const { status, out, err } = await run([...words, '--json'], allowing)
  expect([status, err]).toEqual([0, ''])
  const told: unknown = JSON.parse(out)
  expect(told).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, isCut: false })
  expect(isObject(told) && JSON.parse(String(told.body))).toEqual({ found: true, '\u001b[31m': 'Bearer [secret]' })
  expect(called.received).toMatchObject([{ path: '/orders/7%2F8', headers: { authorization: `Bearer ${secret}` } }])

  const shown = await run(words, allowing)
  expect(shown.out).toMatch(new RegExp(`^GET https://localhost:${called.port}/orders/7%2F8\n200 after \\d+ ms\n`, 'u'))
  expect(shown.out).not.toContain('\u001b')
  for (const text of [out, shown.out, server.out, server.err]) expect(text).not.toContain(secret)
})

test.each([
  [['{"orderNumber":7}'], 'orderNumber is a value of the type string'],
  [['{orderNumber}'], '--params is no JSON: an object such as {"orderNumber":"17"} is expected'],
  [['[]'], 'An object with a member for each parameter is expected'],
])('a command refuses the parameters %j', async ([parameters = ''], reason) => {
  const id = await created({})
  expect(await run(['integration', 'test', id, '--params', parameters])).toMatchObject({
    status: 1,
    out: '',
    err: `${reason}\n`,
  })
})

test('the secret of the installation is changed while a server runs', async () => {
  const id = await created({ url: 'https://127.0.0.1/', parameters: [], secret })
  const former = (await readFile(join(folder, 'secret'), 'utf8')).trim()
  const next = { CRM_SECRET: 'the next secret, long enough', CRM_SECRET_PREVIOUS: former }
  const reasonWith = async (variables: Readonly<Record<string, string>>) =>
    (await run(['integration', 'test', id], variables)).err
  const reads = 'forbidden: 127.0.0.1 is no public address, and the operator has not allowed it\n'
  expect([await reasonWith({}), await reasonWith(next)]).toEqual([reads, reads])
  const { status, out } = await run(['secret', 'rotate', '--json'], next)
  expect([status, JSON.parse(out)]).toEqual([0, { encrypted: expect.any(Number), unreadable: 0 }])
  expect(await reasonWith({ CRM_SECRET: next.CRM_SECRET })).toBe(reads)
  expect(await reasonWith({})).toContain('is not the secret of this database')
  expect((await client.get(`${integrationsPath}/${id}`)).data.hasSecret).toBe(true)
})

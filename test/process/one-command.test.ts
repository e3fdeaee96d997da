import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { codesOf, pageOfCodes, pdfInFont } from '../knowledge/support/fonts.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import { aContact } from '../support/builders.ts'
import { aTakenPort } from '../support/free-ports.ts'
import { postmasterOf, type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { demoClient } from './support/installations.ts'

const processes = useProcesses()
let folder: string
let environment: Record<string, string>
let server: Server

const inFolder = (name: string) => join(folder, name)
const kept = () => Promise.all(['demo-token', 'secret'].map(name => readFile(inFolder(name), 'utf8')))

beforeAll(async () => {
  folder = await processes.dataDirectory()
  environment = { CRM_DATA_DIR: folder }
  server = await processes.serve(environment)
})

test('a first start prints its address, and a command that shows sample data', async () => {
  const [, curl = ''] = await server.printed(/^ {2}(curl .*)$/mu)
  expect(curl).toContain(`"${server.url}/api/v1/crm/contacts?limit=3"`)
  const { status, out } = await processes.run(['demo', 'token'], environment)
  expect(status).toBe(0)
  const command = curl.replace('$(npm run -s crm -- demo token)', out.trim())
  expect(command).not.toBe(curl)
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  const answer: unknown = JSON.parse(stdout)
  expect(isObject(answer) && answer.data).toHaveLength(3)
})

test('a first start names the PostgreSQL that it installs, and not the package of npm', async () => {
  expect(server.err).toMatch(/Installing PostgreSQL 18\.\d+ in [^"]+\/pg-18\.\d+-\d+"/u)
  expect(server.err).not.toContain('beta')
  expect((await readdir(folder)).filter(name => name.includes('beta'))).toEqual([])
})

test('the first address that a start prints shows the reference, and the one without a path the cabinet', async () => {
  const [first = ''] = /http\S+/u.exec(server.out) ?? []
  expect(first).toBe(`${server.url}/reference`)
  const cabinet = `${server.url}/cabinet/`
  for (const [address, method, page] of [
    [first, 'GET', first],
    [`${server.url}/`, 'GET', cabinet],
    [`${server.url}/`, 'HEAD', cabinet],
  ] as const) {
    const answer = await fetch(address, { method, headers: { accept: 'text/html' } })
    expect([answer.url, answer.status]).toEqual([page, 200])
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/u)
  }
})

test('answers of the cabinet name the build of the pages that the server has', async () => {
  const page = await fetch(`${server.url}/cabinet/`, { headers: { accept: 'text/html' } })
  expect(page.headers.get('etag')).toBe(`"${page.headers.get('x-crm-build')}"`)
  const refusal = await fetch(`${server.url}/cabinet/api/session`)
  expect([refusal.status, refusal.headers.get('x-crm-build')]).toEqual([401, page.headers.get('x-crm-build')])
})

test('the token is not printed where it would be kept, and neither is the secret', async () => {
  for (const text of await kept()) expect(server.out + server.err).not.toContain(text.trim())
})

test('data directory, token and secret are open to their owner alone', async () => {
  // The user that root runs the database as may pass through, to what belongs to it.
  expect((await stat(folder)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o710 : 0o700)
  for (const name of ['demo-token', 'secret']) expect((await stat(inFolder(name))).mode & 0o777).toBe(0o600)
})

test('the program has the character maps of PDFs with it, and its sandbox may read them', async () => {
  const client = await demoClient(server, folder)
  const base = await aBase(client, 'Japanese')
  const font = { encoding: 'UniJIS-UCS2-H', collection: 'Japan1' }
  await putFile(client, { base, id: 'f', name: 'a.pdf', content: pdfInFont(font, [pageOfCodes(codesOf('日本語'))]) })
  const read = await until('the file to be read', async () => {
    const { items } = await client.get(`${basesPath}/${base}/files`)
    return items.find(({ status }) => status === 'ready' || status === 'failed')
  })
  expect(read).toMatchObject({ status: 'ready', error: null })
})

test('a second server on the data directory ends with a reason and status 1, and the first goes on', async () => {
  const { status, out, err } = await processes.run(['serve'], { ...environment, PORT: '0' })
  expect({ status, out }).toEqual({ status: 1, out: '' })
  expect(err).toMatch(new RegExp(`^The data directory ${folder} is in use by process ${server.pid}\\..*\\n$`, 'mu'))
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
})

test('a second start has the data, the token and the secret of the first', async () => {
  const { data } = await (await demoClient(server, folder)).post('/contacts', aContact())
  const before = await kept()
  expect((await server.end('SIGTERM')).status).toBe(0)

  server = await processes.serve(environment)
  expect(await kept()).toEqual(before)
  const { status, body } = await (await demoClient(server, folder)).get(`/contacts/${data.id}`)
  expect([status, body.data]).toEqual([200, data])
})

test('after a kill -9 the next start has every change that was answered', async () => {
  const client = await demoClient(server, folder)
  const created = Array.from({ length: 20 }, async () => {
    const answer = await client.post('/contacts', aContact()).catch(() => null)
    return answer?.status === 201 ? answer.data : null
  })
  await Promise.race(created)
  await server.end('SIGKILL')
  const answered = (await Promise.all(created)).filter(contact => contact !== null)
  expect(answered).not.toEqual([])

  server = await processes.serve(environment)
  const again = await demoClient(server, folder)
  for (const contact of answered) expect((await again.get(`/contacts/${contact.id}`)).data).toEqual(contact)
})

test('a server whose output nobody reads any more goes on, and stops its database in the end', async () => {
  await server.end('SIGTERM')
  const { port, close } = await aTakenPort()
  close()
  const unheard = processes.start(['serve'], { ...environment, PORT: String(port) })
  unheard.leave()
  await until('a ready server', () => {
    if (!unheard.running) throw new Error('the server ended')
    return fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  })
  expect((await unheard.end('SIGHUP')).status).toBe(0)
  expect(await postmasterOf(folder)).toBeNull()
})

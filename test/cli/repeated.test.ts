import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { useCrm } from './support/given.ts'

const given = useCrm()

/** What stands before the API and answers some requests itself: after they were executed, or instead of that. */
async function proxyThat(answers: (request: IncomingMessage) => boolean, status: number, isExecuted: boolean) {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const names = ['authorization', 'content-type', 'idempotency-key', 'user-agent']
    const passed = names.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
    const body = await buffer(request)
    const isOwn = answers(request)
    if (isOwn && !isExecuted) return response.writeHead(status).end('<h1>No</h1>')
    const sent = await fetch(given.api.url + url, {
      method,
      headers: Object.fromEntries(passed),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    const text = await sent.text()
    if (isOwn) return response.writeHead(status).end('<h1>Bad gateway</h1>')
    return response.writeHead(sent.status, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  const address: AddressInfo | string | null = server.address()
  return { ...given.environment, CRM_URL: `http://127.0.0.1:${Object(address).port}` }
}

/** The options that a message advises to repeat a command with. */
function advisedIn(err: string): string[] {
  return /repeated with (.*),/u.exec(err)?.[1]?.split(' ') ?? []
}

async function created(resource: string, body: object): Promise<string> {
  const { out } = await given.crm(['api', 'POST', `/${resource}`, '--data', JSON.stringify(body)])
  return JSON.parse(out).id
}

test.each([
  ['create', async () => ['tasks', 'create', '--title', 'Call']],
  ['update', async () => ['tasks', 'update', await created('tasks', { title: 'Call' }), '--title', 'Write']],
  ['delete', async () => ['tasks', 'delete', await created('tasks', { title: 'Call' }), '--yes']],
  [
    'merge',
    async () => {
      const [first, second] = [await created('companies', { name: 'A' }), await created('companies', { name: 'A' })]
      return ['companies', 'merge', first, second, '--yes']
    },
  ],
] as const)('a %s without the answer of the API, repeated as advised, is executed once', async (_name, wordsOf) => {
  const words = await wordsOf()
  const isWrite = ({ method, url = '' }: IncomingMessage) => method !== 'GET' && !url.endsWith('/preview')
  const lost = await given.crm(words, { environment: await proxyThat(isWrite, 500, true) })
  expect([lost.status, lost.err]).toEqual([5, expect.stringContaining('repeated with --')])
  const repeated = await given.crm([...words, ...advisedIn(lost.err)])
  expect([repeated.status, repeated.err]).toEqual([0, ''])
})

test('a 404 of what is not the API does not say that a record is missing', async () => {
  const environment = await proxyThat(() => true, 404, false)
  const { status, err } = await given.crm(['tasks', 'get', 'some'], { environment })
  expect([status, err]).toEqual([5, expect.stringContaining('is `url` the address of a CRM?')])
  const file = join(given.home, 'companies.ndjson')
  writeFileSync(file, '{"externalId":"a","name":"A"}\n')
  const written = await given.crm(['companies', 'upsert', '--file', file, '--run', 'r'], { environment })
  expect([written.status, written.err]).toEqual([5, expect.not.stringContaining('--idempotency-key')])
})

test('the server is told the name of the program', async () => {
  const names: unknown[] = []
  const isSeen = ({ headers }: IncomingMessage) => names.push(headers['user-agent']) < 0
  await given.crm(['whoami'], { environment: await proxyThat(isSeen, 500, true) })
  expect(names).toEqual([expect.stringMatching(/^crm-cli\/\S+ crm-sdk\/\S+ /u)])
})

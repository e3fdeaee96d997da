import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { renderGoldenFiles } from '../golden/render.ts'
import { type Server, useProcesses } from '../support/process.ts'
import { demoClient } from './support/installations.ts'

const processes = useProcesses()
let folder: string
let server: Server
let loaded: string

beforeAll(async () => {
  folder = await processes.startedBefore()
  const hook = join(folder, 'loaded.cjs')
  loaded = join(folder, 'loaded.txt')
  const write = `require('node:fs').writeFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join('\\n'))`
  await writeFile(hook, `process.on('exit', () => ${write})`)
  const without = { CABINET: 'off', API_CORS: 'off' }
  server = await processes.serve({ CRM_DATA_DIR: folder, NODE_OPTIONS: `--require ${hook}`, ...without })
})

test('a server without the cabinet has none of its routes, and its first address leads to the reference', async () => {
  for (const path of ['/cabinet', '/cabinet/', '/cabinet/api/session']) {
    const answer = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' })
    expect([path, answer.status]).toEqual([path, 404])
  }
  const first = await fetch(`${server.url}/`, { headers: { accept: 'text/html' } })
  expect([first.url, first.status]).toEqual([`${server.url}/reference`, 200])
})

test('the document that was made with the program is that of its declarations, and pages of any origin may read it, even if they may not call the API', async () => {
  const answer = await fetch(`${server.url}/openapi.json`)
  expect(await answer.json()).toEqual(JSON.parse(renderGoldenFiles()['openapi.json'] ?? ''))
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
  const call = await fetch(`${server.url}/api/v1/crm/capabilities`)
  expect([call.status, call.headers.get('Access-Control-Allow-Origin')]).toEqual([401, null])
})

test('a server checks bodies without compiling a check', async () => {
  const client = await demoClient(server, folder)
  const { error } = await client.post('/contacts', { firstName: 5, surname: 'Petrova' })
  expect(error.details).toMatchObject({
    issues: expect.arrayContaining([
      { path: '/firstName', rule: 'type', message: 'must be string,null' },
      { path: '/surname', rule: 'unknown_field', message: 'Unknown or read-only' },
    ]),
  })
  expect((await server.end('SIGTERM')).status).toBe(0)
  const modules = await readFile(loaded, 'utf8')
  expect(modules).toContain('prepared/quick-checks.cjs')
  expect(modules).toContain('prepared/thorough-checks.cjs')
  expect(modules).not.toContain('ajv/dist/2020.js')
})

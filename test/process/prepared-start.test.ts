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
  server = await processes.serve({ CRM_DATA_DIR: folder, NODE_OPTIONS: `--require ${hook}` })
})

test('the document that was made with the program is that of its declarations, and pages of any origin may read it', async () => {
  const answer = await fetch(`${server.url}/openapi.json`)
  expect(await answer.json()).toEqual(JSON.parse(renderGoldenFiles()['openapi.json'] ?? ''))
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
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

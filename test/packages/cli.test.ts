import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ScriptedServer } from '../../packages/sdk/scenarios/scripted-server.ts'
import { describedIn } from '../../scripts/release/program.ts'
import { run, withFolder } from '../../scripts/release/run.ts'

let file: string
let version: string
let server: ScriptedServer
beforeAll(async () => {
  version = (await describedIn('server')).version
  file = join(inject('release'), `crm-cli-${version}.tgz`)
  const request = { method: 'GET', target: '/api/v1/crm/contacts/c1' }
  server = await ScriptedServer.start([{ request, answer: { status: 200, json: { data: { id: 'c1' } } } }], () => {})
})
afterAll(() => server?.stop())

test('installed in an empty folder, the command line needs no other package and calls a server', async () => {
  await withFolder(async folder => {
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, file], folder)
    const installed = (await readdir(join(folder, 'node_modules'))).filter(name => !name.startsWith('.'))
    expect(installed).toEqual(['crm-cli'])
    const crm = join(folder, 'node_modules', '.bin', 'crm')
    expect(await run(crm, ['--version'], folder)).toBe(`${version}\n`)
    const environment = [`CRM_URL=${server.url}`, 'CRM_TOKEN=crm_token']
    expect(await run('env', [...environment, crm, 'contacts', 'get', 'c1'], folder)).toBe('{"id":"c1"}\n')
    const licences = await run('cat', [join('node_modules', 'crm-cli', 'dist', 'THIRD-PARTY-LICENCES.txt')], folder)
    expect(licences).toMatch(/^commander [\d.]+, MIT$[^]*^csv-parse [\d.]+, MIT$/mu)
  })
})

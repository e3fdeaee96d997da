import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ScriptedServer } from '../../packages/sdk/scenarios/scripted-server.ts'
import { describedIn } from '../../scripts/release/program.ts'
import { run, withFolder } from '../../scripts/release/run.ts'

let file: string
let server: ScriptedServer
beforeAll(async () => {
  file = join(inject('release'), `crm-sdk-${(await describedIn('server')).version}.tgz`)
  const request = { method: 'GET', target: '/api/v1/crm/contacts/c1' }
  server = await ScriptedServer.start([{ request, answer: { status: 200, json: { data: { id: 'c1' } } } }], () => {})
})
afterAll(() => server?.stop())

test('installed in an empty folder, the SDK needs no other package and calls a server', async () => {
  await withFolder(async folder => {
    await run('npm', ['install', '--no-audit', '--no-fund', file], folder)
    const installed = (await readdir(join(folder, 'node_modules'))).filter(name => !name.startsWith('.'))
    expect(installed).toEqual(['crm-sdk'])
    const program = `import { Crm } from 'crm-sdk'
      import { verify } from 'crm-sdk/webhooks'
      const crm = new Crm({ url: '${server.url}', token: 'crm_token' })
      console.log(JSON.stringify([await crm.contacts.get('c1'), typeof verify]))`
    await writeFile(join(folder, 'program.mjs'), program)
    expect(JSON.parse(await run(process.execPath, ['program.mjs'], folder))).toEqual([{ id: 'c1' }, 'function'])
  })
})

test('linters of packages find nothing wrong with the SDK', async () => {
  await run('publint', ['run', '--strict', file])
  await run('attw', [file, '--profile', 'esm-only'])
})

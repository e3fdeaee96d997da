import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ScriptedServer } from '../../packages/sdk/scenarios/scripted-server.ts'
import { repository, run, withFolder } from '../../scripts/release/run.ts'

const sdk = join(repository, 'packages', 'sdk')

/** Packs the SDK as it is published, and works in a folder with the file. */
function withPacked<Made>(work: (folder: string, file: string) => Promise<Made>): Promise<Made> {
  return withFolder(async folder => {
    await run('npm', ['pack', '--pack-destination', folder], sdk)
    const [file = ''] = await readdir(folder)
    return work(folder, join(folder, file))
  })
}

let server: ScriptedServer
beforeAll(async () => {
  const request = { method: 'GET', target: '/api/v1/crm/contacts/c1' }
  server = await ScriptedServer.start([{ request, answer: { status: 200, json: { data: { id: 'c1' } } } }], () => {})
})
afterAll(() => server?.stop())

test('installed in an empty folder, the SDK needs no other package and calls a server', async () => {
  await withPacked(async (folder, file) => {
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
  await withPacked(async (folder, file) => {
    await run('publint', ['run', '--strict', file], folder)
    await run('attw', [file, '--profile', 'esm-only'], folder)
  })
})

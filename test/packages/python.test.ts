import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ScriptedServer } from '../../packages/sdk/scenarios/scripted-server.ts'
import { describedIn } from '../../scripts/release/program.ts'
import { run, withFolder } from '../../scripts/release/run.ts'

let version: string
let server: ScriptedServer
beforeAll(async () => {
  version = (await describedIn('server')).version
  const request = { method: 'GET', target: '/api/v1/crm/contacts/c1' }
  const exchange = { request, answer: { status: 200, json: { data: { id: 'c1' } } } }
  server = await ScriptedServer.start([exchange, exchange], () => {})
})
afterAll(() => server?.stop())

test.each(['-py3-none-any.whl', '.tar.gz'])(
  'installed in an empty environment, crm_sdk*%s calls a server',
  async ending => {
    await withFolder(async folder => {
      await run('python3', ['-m', 'venv', '.'], folder)
      const file = join(inject('release'), `crm_sdk-${version}${ending}`)
      await run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', file])
      const program = [
        'import importlib.metadata, json, crm_sdk, crm_sdk.webhooks',
        `crm = crm_sdk.Crm("${server.url}", "crm_token")`,
        'told = importlib.metadata.metadata("crm-sdk")',
        'print(json.dumps([crm.contacts.get("c1"), told["Version"], told["License-Expression"], callable(crm_sdk.webhooks.verify)]))',
      ].join('\n')
      await writeFile(join(folder, 'program.py'), program)
      const said: unknown = JSON.parse(await run(join(folder, 'bin', 'python'), ['program.py'], folder))
      expect(said).toEqual([{ id: 'c1' }, version, 'Apache-2.0', true])
    })
  },
)

import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { describedIn } from '../../scripts/release/program.ts'
import { run, withFolder } from '../../scripts/release/run.ts'

test('installed in a folder of community nodes, the nodes bring no other package, and everything that n8n loads', async () => {
  const { version } = await describedIn('server')
  const file = join(inject('release'), `n8n-nodes-crm-${version}.tgz`)
  await withFolder(async folder => {
    await mkdir(join(folder, 'nodes'))
    const words = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', file]
    await run('npm', words, join(folder, 'nodes'))
    const installed = join(folder, 'nodes', 'node_modules')
    expect((await readdir(installed)).filter(name => !name.startsWith('.'))).toEqual(['n8n-nodes-crm'])
    const nodes = join(installed, 'n8n-nodes-crm')
    const { n8n } = JSON.parse(await readFile(join(nodes, 'package.json'), 'utf8'))
    const beside = ['dist/icons/crm.svg', 'dist/icons/crm.dark.svg', 'dist/nodes/Crm/Crm.node.json']
    for (const each of [...n8n.nodes, ...n8n.credentials, ...beside])
      expect(await readFile(join(nodes, each), 'utf8')).not.toBe('')
  })
})

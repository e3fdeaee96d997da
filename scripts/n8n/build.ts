import { access, rm, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repository, run } from '../release/run.ts'
import { generate } from './generate.ts'

/** `npm run build:n8n`: builds the nodes with the tools of n8n, which are installed here unless they are there. */
const tools = fileURLToPath(new URL('.', import.meta.url))
const nodes = join(repository, 'packages', 'n8n-nodes-crm')
const installed = join(tools, 'node_modules')
await access(join(installed, '.bin')).catch(() =>
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], tools),
)
await rm(join(nodes, 'node_modules'), { recursive: true, force: true })
await symlink(installed, join(nodes, 'node_modules'))
await generate()
const path = [join(installed, '.bin'), process.env['PATH']].join(delimiter)
await run('env', [`PATH=${path}`, 'n8n-node', 'build'], nodes)

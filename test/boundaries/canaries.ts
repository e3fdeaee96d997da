import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** One forbidden import: the file, where it leads (a file of the tree, or a package), and whether it is of types. */
interface Canary {
  readonly from: string
  readonly to: string
  readonly types?: true
}

const kernel = 'server/src/kernel/index.ts'
const contacts = 'server/src/crm/contacts/index.ts'
const contact = 'server/src/crm/contacts/contact.ts'
const demo = 'server/src/demo/index.ts'

/** What each rule must catch, and no other rule may. */
export const canaries: Readonly<Record<string, readonly Canary[]>> = {
  'no-cycles': [
    { from: 'server/src/kernel/hen.ts', to: 'server/src/kernel/egg.ts' },
    { from: 'server/src/kernel/egg.ts', to: 'server/src/kernel/hen.ts', types: true },
  ],
  'kernel-knows-nobody': [
    { from: 'server/src/kernel/sees-a-module.ts', to: contacts },
    { from: 'server/src/kernel/sees-the-demo.ts', to: demo, types: true },
    { from: 'server/src/kernel/sees-a-shell.ts', to: 'server/src/entrypoints/http/index.ts' },
    { from: 'server/src/kernel/sees-configuration.ts', to: 'server/src/start/config.ts' },
    { from: 'server/src/kernel/sees-the-supervisor.ts', to: '@crm-server/embedded-postgres' },
  ],
  'kernel-through-its-doors': [
    { from: 'server/src/crm/contacts/opens-a-window.ts', to: 'server/src/kernel/gates.ts' },
    { from: 'server/src/demo/digs-a-tunnel.ts', to: 'server/src/kernel/write/save-and-publish.ts', types: true },
    { from: 'test/opens-a-window.test.ts', to: 'server/src/kernel/gates.ts' },
  ],
  'modules-are-islands': [
    { from: 'server/src/crm/deals/sees-contacts.ts', to: contact },
    { from: 'server/src/crm/search/sees-contacts.ts', to: contact, types: true },
  ],
  'records-refer-to-records': [
    { from: 'server/src/settings/sees-contacts.ts', to: contacts },
    { from: 'server/src/tenants/sees-contacts.ts', to: contacts, types: true },
  ],
  'no-entrypoint-from-below': [
    { from: 'server/src/crm/deals/sees-the-list.ts', to: 'server/src/modules.ts' },
    { from: 'server/src/crm/contacts/sees-http.ts', to: 'server/src/entrypoints/http/index.ts' },
    { from: 'server/src/crm/deals/sees-the-demo.ts', to: demo },
    { from: 'server/src/archive/sees-configuration.ts', to: 'server/src/start/config.ts', types: true },
  ],
  'demo-stands-on-modules': [
    { from: 'server/src/demo/sees-the-cli.ts', to: 'server/src/entrypoints/cli/index.ts' },
    { from: 'server/src/demo/sees-contacts.ts', to: contacts, types: true },
    { from: 'server/src/demo/sees-configuration.ts', to: 'server/src/start/config.ts', types: true },
  ],
  'people-stand-on-settings': [
    { from: 'server/src/people/sees-the-cli.ts', to: 'server/src/entrypoints/cli/index.ts' },
    { from: 'server/src/people/sees-a-setting.ts', to: 'server/src/settings/tag.ts' },
    { from: 'server/src/people/sees-contacts.ts', to: contacts, types: true },
  ],
  'entrypoints-are-siblings': [
    { from: 'server/src/entrypoints/http/sees-the-cli.ts', to: 'server/src/entrypoints/cli/index.ts' },
    { from: 'server/src/entrypoints/worker/sees-http.ts', to: 'server/src/entrypoints/http/index.ts' },
    { from: 'server/src/entrypoints/cli/sees-http.ts', to: 'server/src/entrypoints/http/index.ts' },
  ],
  'rules-are-pure': [
    { from: 'server/src/crm/contacts/io.rules.ts', to: 'node:fs' },
    { from: 'server/src/crm/contacts/whole-kernel.rules.ts', to: kernel, types: true },
    { from: 'server/src/crm/contacts/statement.rules.ts', to: 'server/src/crm/contacts/contact.sql.ts' },
  ],
  'states-are-types': [
    { from: 'server/src/crm/deals/fields-themselves.rules.ts', to: 'server/src/crm/deals/deal-fields.ts' },
  ],
  'one-door-to-the-driver': [
    { from: 'server/src/kernel/limits/asks-the-driver.ts', to: 'pg' },
    { from: 'server/src/entrypoints/http/asks-the-driver.ts', to: 'pg', types: true },
    { from: 'test/asks-the-driver.test.ts', to: 'pg' },
  ],
  'one-door-to-the-queue': [{ from: 'server/src/crm/contacts/adds-a-job.ts', to: 'graphile-worker' }],
  'process-is-not-imported': [{ from: 'server/src/entrypoints/http/reads-the-environment.ts', to: 'node:process' }],
  'product-stands-alone': [
    { from: 'server/src/entrypoints/http/needs-a-test.ts', to: 'test/support/api.ts' },
    { from: 'server/src/entrypoints/http/needs-a-script.ts', to: 'scripts/golden.ts' },
    { from: 'server/src/entrypoints/http/needs-a-neighbour.ts', to: 'server/src/entrypoints/http/server.test.ts' },
  ],
  'product-needs-no-development-package': [
    { from: 'server/src/entrypoints/http/needs-a-runner.ts', to: 'tsx' },
    { from: 'server/src/entrypoints/http/needs-what-others-brought.ts', to: 'fast-uri' },
  ],
  'examples-stand-alone': [
    { from: 'examples/one/sees-the-server.ts', to: kernel },
    { from: 'examples/one/sees-another.ts', to: 'examples/other/main.ts' },
  ],
  'packages-stand-alone': [
    { from: 'packages/embedded-postgres/src/sees-the-kernel.ts', to: kernel },
    { from: 'packages/sdk/sees-the-server.ts', to: kernel, types: true },
    { from: 'packages/sdk/sees-another.ts', to: 'packages/cabinet/main.ts' },
    { from: 'packages/cli/sees-the-core.ts', to: 'packages/sdk/src/core/call.ts' },
  ],
  'no-dead-files': [{ from: 'server/src/nobody-imports-me.ts', to: kernel }],
  'everything-resolves': [{ from: 'server/src/entrypoints/http/is-lost.ts', to: 'no-such-package' }],
}

/** Writes a small tree of the product's form with all canaries in it; resolves to its place and what removes it. */
export async function writeCanaries(): Promise<{ directory: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'crm-canaries-'))
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  for (const name of ['package.json', 'server/package.json']) {
    await cp(join(root, name), join(directory, name), { recursive: true })
  }
  const all = Object.values(canaries).flat()
  const imports = new Map(all.map(({ from, to, types }) => [from, importOf(from, to, types === true)]))
  const targets = all.map(({ to }) => to).filter(isFile)
  for (const file of new Set(['server/src/main.ts', ...targets, ...imports.keys()])) {
    await mkdir(join(directory, dirname(file)), { recursive: true })
    await writeFile(join(directory, file), imports.get(file) ?? 'export type Nothing = never\n')
  }
  return { directory, remove: () => rm(directory, { recursive: true }) }
}

function importOf(from: string, to: string, types: boolean): string {
  const path = relative(dirname(from), to)
  const specifier = !isFile(to) ? to : path.startsWith('.') ? path : `./${path}`
  return types ? `export type * as canary from '${specifier}'\n` : `export * as canary from '${specifier}'\n`
}

function isFile(target: string): boolean {
  return target.endsWith('.ts')
}

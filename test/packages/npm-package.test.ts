import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { describedIn } from '../../scripts/release/program.ts'
import { repository, run } from '../../scripts/release/run.ts'
import { installedIn } from './support/installed.ts'
import { Stranger } from './support/stranger.ts'

let prefix: string
let stranger: Stranger

beforeAll(async () => {
  prefix = await mkdtemp(join(tmpdir(), 'crm-prefix-'))
  await chmod(prefix, 0o755)
  const file = join(inject('release'), `crm-server-${(await describedIn('server')).version}.tgz`)
  await run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', file], prefix)
  stranger = await Stranger.on({ node: process.execPath, 'crm-server': join(prefix, 'bin', 'crm-server') })
})
afterAll(async () => {
  await stranger?.leave()
  await rm(prefix, { recursive: true, force: true })
})

test('installed globally, the server is started by its name, answers the request that it shows, and stops', async () => {
  const server = await stranger.serve('crm-server')
  expect((await stranger.trying(server)).data).toHaveLength(3)
  expect(await server.end('SIGTERM')).toMatchObject({ status: 0, signal: null })
  expect(await stranger.hasDatabase()).toBe(false)
})

test('the package brings the dependencies with which the tests have run', async () => {
  const lock: { readonly packages: Readonly<Record<string, { readonly version?: string }>> } = JSON.parse(
    await readFile(join(repository, 'package-lock.json'), 'utf8'),
  )
  const found = await installedIn(join(prefix, 'lib', 'node_modules', 'crm-server'))
  expect(found.length).toBeGreaterThan(100)
  for (const { place, version } of found)
    expect({ place, version }).toEqual({ place, version: lock.packages[place]?.version })
})

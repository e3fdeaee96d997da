import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { bundledNode } from '../../scripts/release/node-program.ts'
import { describedIn } from '../../scripts/release/program.ts'
import { repository, run, withFolder } from '../../scripts/release/run.ts'
import { createTestDatabase, type TestDatabase, testSecretText } from '../support/database.ts'
import { Pooler } from '../support/pooler.ts'
import { Program, readyAt, sendSignal } from '../support/process.ts'
import { ImageBuilder } from './support/image.ts'

const base = `docker.io/library/node:${bundledNode.version}-bookworm-slim`
const image = 'crm-server:test'
const main = '/opt/crm-server/lib/node_modules/crm-server/dist/main.js'

interface Built {
  readonly OCIv1: {
    readonly config: {
      readonly User: string
      readonly Entrypoint: readonly string[]
      readonly Cmd: readonly string[]
      readonly Env: readonly string[]
    }
  }
  readonly Docker: { readonly config: { readonly Healthcheck: { readonly Test: readonly string[] } } }
}

let builder: ImageBuilder
let database: TestDatabase
let pooler: Pooler
let container: string
let built: Built
let server: Program | undefined

beforeAll(async () => {
  builder = await ImageBuilder.make()
  const title = `crm-server-${(await describedIn('server')).version}-linux-x64`
  await withFolder(async folder => {
    await run('tar', ['-xzf', join(inject('release'), `${title}.tar.gz`), `${title}/node`], folder)
    await builder.makeBase(base, join(folder, title, 'node'))
  })
  await builder.build('deploy/Dockerfile', image)
  built = JSON.parse(await builder.buildah('inspect', '--type', 'image', image))
  container = (await builder.buildah('from', '--pull=never', image)).trim()
  database = await createTestDatabase(2)
  pooler = new Pooler(database.location, 'sessions')
})
afterAll(async () => {
  // Where a test has failed it may still run, and hold the storage of the images.
  if (server?.running) sendSignal(await pidOf(main), 'SIGKILL')
  await server?.ended
  await builder?.remove()
  await pooler?.stop()
  await database?.drop()
})

/** The command line that runs a program in the container, as the user and with the environment of the image. */
function inContainer(environment: Readonly<Record<string, string>>, ...command: readonly string[]) {
  const given = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  return builder.command('run', '--isolation', 'chroot', ...given, container, '--', ...command)
}

/** The process on this machine, in a container or not, that runs such a file. */
async function pidOf(file: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (/^\/?[^\0]*node\0/u.test(words) && words.split('\0').includes(file)) return Number(name)
  }
  throw new Error(`no process runs ${file}`)
}

test('the base is the Node.js that the archive brings along', async () => {
  expect(await readFile(join(repository, 'deploy', 'Dockerfile'), 'utf8')).toContain(`\nARG NODE=${base}\n`)
})

test('the image serves as an ordinary user from a database of your own, is healthy meanwhile, and has no other database', async () => {
  const { User, Entrypoint, Cmd } = built.OCIv1.config
  expect(User).toBe('1000:1000')
  const environment = { DATABASE_URL: await pooler.start(), CRM_SECRET: testSecretText, PORT: '0' }
  server = new Program(inContainer(environment, ...Entrypoint, ...Cmd), {})
  const [, address = ''] = await server.printed(readyAt)
  const port = new URL(address).port
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  const [kind = '', ...check] = built.Docker.config.Healthcheck.Test
  expect(kind).toBe('CMD')
  const health = () => new Program(inContainer({ PORT: port }, ...check), {}).ended
  expect(await health()).toMatchObject({ status: 0 })
  const { out } = await new Program(inContainer({}, 'id', '-u'), {}).ended
  expect(out).toBe('1000\n')
  // An engine tells the first process of a container, and no other; what stands in for one here does not.
  sendSignal(await pidOf(main), 'SIGTERM')
  expect(await server.ended).toMatchObject({ status: 0 })
  expect(await health()).toMatchObject({ status: 1 })
  const alone = await new Program(inContainer({}, ...Entrypoint, ...Cmd), {}).ended
  expect(alone.status).toBe(1)
  expect(alone.err).toContain('set DATABASE_URL to a PostgreSQL 15 or later')
})

test('the program can be changed by root alone, and the image has the programs that commands need', async () => {
  const { out } = await new Program(inContainer({}, 'find', '/opt/crm-server', '-writable', '-not', '-type', 'l'), {})
    .ended
  expect(out).toBe('')
  const { status } = await new Program(inContainer({}, 'crm-server', '--help'), {}).ended
  expect(status).toBe(0)
})

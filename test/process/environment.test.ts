import { randomUUID } from 'node:crypto'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { productVersion } from '../../server/src/kernel/product/index.ts'
import { Database, pendingMigrations } from '../../server/src/kernel/sql/index.ts'
import { createEmptyDatabase } from '../migrations/empty-database.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { compiledProgram } from '../support/compiled.ts'
import { databaseUrl, Program, useProcesses } from '../support/process.ts'
import { anApplication, demoClient, onDatabase } from './support/installations.ts'

const processes = useProcesses()
const secret = 'a secret of the tests, long enough'

/** What a server says that cannot start: one line, and nothing else happens. */
async function refusalOf(wrong: Record<string, string>): Promise<string> {
  const folder = await processes.folder()
  const { status, out, err } = await processes.run(['serve'], { CRM_DATA_DIR: folder, PORT: '0', ...wrong })
  expect({ status, out }).toEqual({ status: 1, out: '' })
  // What starts is logged before.
  const reason = err.replace(/^\{"level":30.*\n/u, '')
  expect(reason).toMatch(/^[^\n]+\n$/u)
  expect(await readdir(folder)).toEqual([])
  return reason
}

test('all faults of the environment are named in one line', async () => {
  const reason = await refusalOf({
    PORT: 'abc',
    DATABASE_URL: 'mysql://localhost/crm',
    SHUTDOWN_DELAY_SECONDS: '301',
    ACCESS_LOG: 'verbose',
    API_CORS: 'maybe',
    CABINET: 'perhaps',
    S3_ENDPOINT: 'localhost:9000',
    S3_ACCESS_KEY_ID: 'key',
    SMTP_URL: 'https://user:hidden@mail.example',
  })
  expect(reason).not.toContain('hidden')
  expect(reason).toContain('SMTP_URL and SMTP_FROM are set together')
  expect(reason).toContain('SMTP_URL is smtp://host:587 or smtps://host:465')
  expect(reason).toContain('PUBLIC_BASE_URL is required when SMTP_URL is set')
  expect(reason).toContain('PORT is a number from 0 to 65535')
  expect(reason).toContain('DATABASE_URL is a URL that starts with postgres:// or postgresql://')
  expect(reason).toContain('CRM_SECRET is required when DATABASE_URL is set')
  expect(reason).toContain('SHUTDOWN_DELAY_SECONDS is a whole number from 0 to 300')
  expect(reason).toContain('ACCESS_LOG is errors, all or off')
  expect(reason).toContain('API_CORS is on or off')
  expect(reason).toContain('CABINET is on or off')
  expect(reason).toContain('S3_ENDPOINT is a URL that starts with http:// or https://')
  expect(reason).toContain('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are set together')
  expect(reason).toMatch(/S3_BUCKET is required when S3_ENDPOINT, .+ or S3_SECRET_ACCESS_KEY is set/u)
})

test('a database that is not there is named in one line', async () => {
  const reason = await refusalOf({ DATABASE_URL: 'postgres://crm@127.0.0.1:1/crm', CRM_SECRET: secret })
  expect(reason).toContain('ECONNREFUSED 127.0.0.1:1')
})

test('a database by address gets its tables, and no demo organization', async () => {
  const location = inject('postgres')
  const name = `fresh_${randomUUID().replaceAll('-', '')}`
  const maintenance = new Database({ location, connections: 1 })
  await maintenance.script(`create database ${name}`)
  const database = new Database({ location: { ...location, database: name }, connections: 2 })
  try {
    const environment = await onDatabase(processes, databaseUrl({ ...location, database: name }))
    const server = await processes.serve(environment)
    expect(await pendingMigrations(database)).toEqual([])
    expect(server.out).not.toContain('Try it')
    await server.printed(/^There is no organization yet.*\n {2}npm run -s crm -- organization create --name NAME$/mu)
    expect(await readdir(environment.CRM_DATA_DIR)).toEqual([])
    const { token } = await anApplication(database)
    const client = new Client(server.url, token)
    expect((await client.post('/contacts', aContact())).status).toBe(201)
    expect((await client.get('/contacts')).items).toHaveLength(1)
    expect((await server.end('SIGTERM')).status).toBe(0)
    const again = await processes.serve(environment)
    expect((await again.end('SIGTERM')).out).not.toContain('no organization')
  } finally {
    await database.close()
    await maintenance.script(`drop database ${name} with (force)`)
    await maintenance.close()
  }
})

test('a server reports its version in one line, on /readyz and in its metrics, and a misspelled variable of the environment', async () => {
  const variables = { CRM_DATA_DIR: await processes.startedBefore(), TRUSTED_PROXY: '10.0.0.0/8' }
  const server = await processes.serve(variables)
  expect(server.err.match(/^\{"level":30.*"msg":"CRM server \S+ starts, on Node\.js \S+"\}$/gmu)).toEqual([
    expect.stringContaining(`"CRM server ${productVersion} starts, on Node.js ${process.versions.node}"`),
  ])
  const miss = 'TRUSTED_PROXY is set, which nothing reads: is TRUSTED_PROXIES meant?'
  expect(server.err).toMatch(new RegExp(`^\\{"level":40.*"${miss.replace('?', '\\?')}"\\}$`, 'mu'))
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'ok', version: productVersion })
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
    `crm_build_info{version="${productVersion}"} 1\n`,
  )
  const command = await processes.run(['organization', 'list', '--json'], variables)
  expect(command).toMatchObject({ status: 0, err: `warning: ${miss}\n` })
  const examined = await processes.run(['doctor'], variables)
  expect(examined.out).toContain(`ok     version: ${productVersion}\nok     configuration: valid; ${miss}\n`)
  expect(await processes.run(['--version'], {})).toMatchObject({ status: 0, out: `${productVersion}\n`, err: '' })
  expect((await server.end('SIGTERM')).status).toBe(0)
})

test('a command with a bucket says nothing of its library, whatever Node.js there is', async () => {
  const bucket = {
    S3_BUCKET: 'files',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'x',
  }
  const database = { DATABASE_URL: 'postgres://crm@127.0.0.1:1/crm', CRM_SECRET: secret }
  const examined = await processes.run(['doctor'], { ...bucket, ...database, CRM_DATA_DIR: await processes.folder() })
  expect(examined.out).toMatch(/^FAILED s3: .*ECONNREFUSED/mu)
  expect(examined.err).toBe('failed: postgresql, s3\n')
})

test('the job queue is made whatever lies in the folder that a command is run in', async () => {
  const folder = await processes.folder()
  await writeFile(join(folder, '.graphile-workerrc'), 'these: [are no settings')
  const empty = await createEmptyDatabase()
  const command = [process.execPath, await compiledProgram(), 'migrate'] as const
  const program = new Program(command, await onDatabase(processes, empty.url), undefined, folder)
  expect(await program.ended).toMatchObject({ status: 0, err: '' })
  await empty.drop()
})

test('an ordinary user needs no privileges', async () => {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
  const folder = await processes.dataDirectory(user)
  const server = await processes.serve({ CRM_DATA_DIR: folder }, user)
  const client = await demoClient(server, folder)
  expect((await client.post('/contacts', aContact())).status).toBe(201)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  const owners = await Promise.all(['postgres', 'secret', 'demo-token'].map(name => stat(join(folder, name))))
  expect(new Set(owners.map(({ uid }) => uid))).toEqual(new Set([user?.uid ?? process.getuid?.()]))
  expect((await server.end('SIGTERM')).status).toBe(0)
})

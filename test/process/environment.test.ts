import { randomUUID } from 'node:crypto'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
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
  expect(err).toMatch(/^[^\n]+\n$/u)
  expect(await readdir(folder)).toEqual([])
  return err
}

test('everything that is wrong in the environment is named in one line', async () => {
  const reason = await refusalOf({
    ...{ PORT: 'abc', DATABASE_URL: 'mysql://localhost/crm', SHUTDOWN_DELAY_SECONDS: '301' },
    ACCESS_LOG: 'verbose',
    ...{ S3_ENDPOINT: 'localhost:9000', S3_ACCESS_KEY_ID: 'key' },
  })
  expect(reason).toContain('PORT is a number from 0 to 65535')
  expect(reason).toContain('DATABASE_URL is a URL that starts with postgres:// or postgresql://')
  expect(reason).toContain('CRM_SECRET is required when DATABASE_URL is set')
  expect(reason).toContain('SHUTDOWN_DELAY_SECONDS is a whole number from 0 to 300')
  expect(reason).toContain('ACCESS_LOG is errors, all or off')
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

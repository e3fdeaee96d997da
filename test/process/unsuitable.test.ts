import { chmod, readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type User, useProcesses } from '../support/process.ts'
import { environmentOf } from './support/installations.ts'

const processes = useProcesses()
const nobody: User | undefined = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

let database: TestDatabase
let environment: Readonly<Record<string, string>>
beforeAll(async () => {
  database = await createTestDatabase(2)
  environment = await environmentOf(processes, database)
})
afterAll(() => database?.drop())

/** Starts a server that does not work with these variables, and resolves to the last line that it prints before it ends. */
async function refusalOf(variables: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const { status, out, err } = await processes.run(['serve', ...flags], { PORT: '0', ...variables })
  expect({ status, out }).toEqual({ status: 1, out: '' })
  return err.trim().split('\n').at(-1)
}

async function servesWith(variables: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const server = await processes.serve({ ...environment, ...variables }, undefined, flags)
  expect((await server.end('SIGTERM')).status).toBe(0)
}

describe('the secret of a database', () => {
  const [first, next, other] = ['first', 'next', 'other'].map(name => `the ${name} secret, long enough`)
  const former = { CRM_SECRET: String(next), CRM_SECRET_PREVIOUS: String(first) }
  const refusal = /^CRM_SECRET \(or the file "secret" of the data directory\) is not the secret of this database\. /u
  const withSecret = (secret = '') => ({ ...environment, CRM_SECRET: secret })
  const doctor = async (variables: Readonly<Record<string, string>>) =>
    (await processes.run(['doctor'], { ...environment, ...variables })).out

  test('is that of its first server, and servers and commands with another one are refused', async () => {
    expect(await doctor(withSecret(first))).toMatch(/^ok {5}secret: .*; the next start has the database remember it$/mu)
    await servesWith(withSecret(first))
    await servesWith(withSecret(first))
    expect(await refusalOf(withSecret(other))).toMatch(refusal)
    expect(await refusalOf(withSecret(other), ['--processes', '2'])).toMatch(refusal)
    const command = await processes.run(['organization', 'create', '--name', 'A'], withSecret(other))
    expect(command).toMatchObject({ status: 1, out: '', err: expect.stringMatching(refusal) })
    expect(await doctor(withSecret(other))).toMatch(
      /^FAILED secret: CRM_SECRET .* is not the secret of this database/mu,
    )
    expect(await doctor(withSecret(first))).toMatch(/^ok {5}secret: CRM_SECRET is set, and is that of the database$/mu)
  })

  test('can be replaced where the former one is given, or is declared lost', async () => {
    await servesWith(withSecret(first))
    expect(await doctor(former)).toMatch(/^ok {5}secret: .*the database still has the former one: start/mu)
    await servesWith(former)
    expect(await refusalOf(withSecret(first))).toMatch(refusal)
    await servesWith(withSecret(next))
    const rotate = ['secret', 'rotate']
    expect(await processes.run(rotate, withSecret(other))).toMatchObject({ status: 1, out: '' })
    expect(await processes.run([...rotate, '--former-lost'], withSecret(other))).toMatchObject({ status: 0, err: '' })
    await servesWith(withSecret(other))
    const back = { CRM_SECRET: String(first), CRM_SECRET_PREVIOUS: String(other) }
    expect(await processes.run(rotate, { ...environment, ...back })).toMatchObject({ status: 0, err: '' })
    expect(await refusalOf(withSecret(other))).toMatch(refusal)
  })
})

test('a clock that is minutes off is reported at the start, with the remedy', async () => {
  const ahead = 'const now=Date.now;Date.now=()=>now()+300000'
  const server = await processes.serve({
    ...environment,
    CRM_SECRET: 'the first secret, long enough',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}`,
  })
  const { err } = await server.end('SIGTERM')
  expect(err).toMatch(
    /"level":40.*clock of this machine differs from that of the database by (?:2\d{5}|300\d{3}) ms: .*NTP/u,
  )
})

test('a data directory that the server may not write to is refused, on a database of its own too', async () => {
  const closed = await processes.folder(nobody)
  await chmod(closed, 0o500)
  const variables = { PORT: '0', ...environment, CRM_DATA_DIR: closed }
  const { status, err } = await processes.run(['serve'], variables, nobody)
  expect([status, err]).toEqual([1, expect.stringContaining(`Run "chmod u+rwX '${closed}'"`)])
})

test.each(['api', 'worker'])('the embedded database has no server with --role %s', async role => {
  const folder = await processes.folder()
  expect(await refusalOf({ CRM_DATA_DIR: folder }, ['--role', role])).toBe(
    `the embedded database has one server, which does all: set DATABASE_URL for --role ${role}`,
  )
  expect(await readdir(folder)).toEqual([])
})

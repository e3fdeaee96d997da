import { afterAll, beforeAll, expect, test } from 'vitest'
import { useProcesses } from '../support/process.ts'
import { guardedDatabase, PostgresServer } from './postgres-server.ts'

const processes = useProcesses()
let encrypted: Awaited<ReturnType<typeof PostgresServer.encrypted>>
beforeAll(async () => {
  encrypted = await PostgresServer.encrypted('localhost')
})
afterAll(() => encrypted?.server.remove())

async function doctor(form: string, { host = 'localhost', database = 'postgres' } = {}) {
  const { out, err } = await processes.run(['doctor', '--json'], {
    DATABASE_URL: `postgres://postgres@${host}:${encrypted.server.port}/${database}${form}`,
    CRM_SECRET: 'a secret of the tests, long enough',
    CRM_DATA_DIR: await processes.folder(),
  })
  const { checks }: { checks: { name: string; ok: boolean; message: string }[] } = JSON.parse(out)
  const found = checks.find(({ name }) => name === 'postgresql')
  return { ok: found?.ok, message: String(found?.message), warned: /warning/iu.test(err) }
}

const known = () => `&sslrootcert=${encodeURIComponent(String(encrypted.certificate))}`

test('verify-full accepts the server whose certificate and name are right', async () => {
  expect(await doctor(`?sslmode=verify-full${known()}`)).toMatchObject({ ok: true, warned: false })
})

test('verify-full refuses one that nobody vouches for, and one of another name', async () => {
  expect(await doctor('?sslmode=verify-full')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/: self-signed certificate$/u),
  })
  const elsewhere = await doctor(`?sslmode=verify-full${known()}`, { host: '127.0.0.1' })
  expect(elsewhere).toMatchObject({
    ok: false,
    message: expect.stringContaining("IP: 127.0.0.1 is not in the cert's list"),
  })
})

test('a certificate of the client is shown to a server that wants one', async () => {
  const form = `?sslmode=verify-full${known()}`
  const files = [encrypted.clientCertificate, encrypted.clientKey].map(file => encodeURIComponent(String(file)))
  const shown = await doctor(`${form}&sslcert=${files[0]}&sslkey=${files[1]}`, { database: guardedDatabase })
  expect(shown).toMatchObject({ ok: true, warned: false })
  expect(await doctor(form, { database: guardedDatabase })).toMatchObject({
    ok: false,
    message: expect.stringContaining('client certificate'),
  })
})

test('require is taken for verify-full, and the driver warns of it', async () => {
  expect(await doctor('?sslmode=require')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/: self-signed certificate$/u),
    warned: true,
  })
})

test.each(['?sslmode=no-verify', '?sslmode=require&uselibpqcompat=true'])(
  '%s encrypts, whichever server answers',
  async form => {
    expect(await doctor(form)).toMatchObject({ ok: true, warned: false })
  },
)

test('without a form nothing is encrypted, and a server that wants it refuses', async () => {
  expect(await doctor('')).toMatchObject({ ok: false, message: expect.stringContaining('no encryption') })
})

import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runCommand } from '../../../../../test/support/commands.ts'
import { MailServer } from '../../../../../test/support/mail-server.ts'
import { noEntrypoints } from '../../../../../test/support/no-entrypoints.ts'
import { databaseUrl } from '../../../../../test/support/process.ts'
import { isObject } from '../../../kernel/schema/index.ts'
import { Database, statement } from '../../../kernel/sql/index.ts'
import { examineNode } from './machine.ts'

const server = inject('postgres')
const name = `test_${randomUUID().replaceAll('-', '')}`
const maintenance = new Database({ location: server, connections: 1 })
let folder: string
let environment: Record<string, string>

beforeAll(async () => {
  await maintenance.script(`create database ${name}`)
  folder = await mkdtemp(join(tmpdir(), 'crm-doctor-'))
  environment = {
    DATABASE_URL: `postgres://${server.user}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.host)}`,
    CRM_SECRET: 'a secret of the tests',
    CRM_DATA_DIR: join(folder, 'data'),
  }
})
afterAll(async () => {
  await maintenance.script(`drop database ${name} with (force)`)
  await maintenance.close()
  await rm(folder, { recursive: true, force: true })
})

const crm = (words: readonly string[], variables: Record<string, string> = environment) =>
  runCommand(words, variables, noEntrypoints)

async function doctor(variables: Record<string, string> = {}) {
  const { status, out, err } = await crm(['doctor', '--json'], { ...environment, ...variables })
  const document: unknown = JSON.parse(out)
  const list = isObject(document) && Array.isArray(document.checks) ? document.checks.filter(isObject) : []
  const checks = Object.fromEntries(list.map(check => [String(check.name), check]))
  return { status, err, checks, failed: list.filter(({ ok }) => ok !== true).map(check => check.name) }
}

describe('doctor', () => {
  it('checks a database that was never used, and leaves it as it is', async () => {
    const { status, err, checks } = await doctor()
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(Object.keys(checks)).toEqual([
      'version',
      'configuration',
      'node',
      'data directory',
      'free space',
      'postgresql',
      'session',
      'extensions',
      'privileges',
      'migrations',
      'change feed',
      'jobs',
      'webhooks',
      'clock',
      'stored secrets',
      'secret',
    ])
    expect(checks.migrations).toEqual({
      name: 'migrations',
      ok: true,
      message: expect.stringMatching(/^\d+ pending, applied by migrate or the next start$/u),
    })
    const database = new Database({ location: { ...server, database: name }, connections: 1 })
    const [row] = await database.search(
      statement('test_tables', `select count(*)::integer as tables from pg_tables where schemaname = 'public'`),
      [],
    )
    await database.close()
    expect(row).toEqual({ tables: 0 })
    expect(await readdir(environment.CRM_DATA_DIR ?? '')).toEqual([])
  })

  it('says whether the mail server can be reached, without the password', async () => {
    const server = new MailServer()
    await server.listen()
    const { host, port } = server.settings()
    const variables = { SMTP_FROM: 'crm@example.com', PUBLIC_BASE_URL: 'https://crm.example' }
    const reached = await doctor({ ...variables, SMTP_URL: `smtp://${host}:${port}` })
    expect(reached.checks.mail).toEqual({ name: 'mail', ok: true, message: `${host}:${port} answers` })
    await server.close()
    const { failed, checks, err } = await doctor({ ...variables, SMTP_URL: `smtp://user:hidden@${host}:${port}` })
    expect([failed, checks.mail?.message]).toEqual([['mail'], 'the mail server could not be used: ECONNREFUSED'])
    expect(JSON.stringify([checks, err])).not.toContain('hidden')
  })

  it('prints the lines that docs/operations/incidents.md shows', async () => {
    const page = await readFile(new URL('../../../../../docs/operations/incidents.md', import.meta.url), 'utf8')
    const shown = [...page.matchAll(/^ok {5}([a-z ]+): /gmu)].map(([, check]) => check)
    expect(shown).toEqual(Object.keys((await doctor()).checks))
  })

  it('says when all migrations are applied, and when the database is newer', async () => {
    await crm(['migrate'])
    expect((await doctor()).checks.migrations).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^all applied, up to \d{4}_\w+\.sql$/u),
    })
    const database = new Database({ location: { ...server, database: name }, connections: 1 })
    await database.script(`insert into schema_migrations (name) values ('9999_later.sql')`)
    const { status, checks, failed, err } = await doctor()
    expect({ status, failed, err }).toEqual({ status: 1, failed: ['migrations'], err: 'failed: migrations\n' })
    expect(checks.migrations?.message).toContain('9999_later.sql')
    await database.script(`delete from schema_migrations where name = '9999_later.sql'`)
    await database.close()
  })

  it('describes the queue and its workers, and fails when a job waits for long', async () => {
    await crm(['migrate'])
    expect((await doctor()).checks.jobs?.message).toBe(
      '0 waiting, the oldest for 0 s, 0 running, 0 failed; no worker is known',
    )
    const database = new Database({ location: { ...server, database: name }, connections: 1 })
    await database.script(`
      insert into job_workers (id, version, started_at, beat_at)
      values ('pool-1', '0.1.0', now(), now() - interval '7 seconds'), ('pool-2', '0.1.0', now(), now() - interval '50 seconds');
      select graphile_worker.add_job('test_waiting', run_at => now() - interval '20 minutes')`)
    const { failed, checks } = await doctor()
    expect(failed).toEqual(['jobs'])
    expect(checks.jobs?.message).toMatch(
      /^1 waiting, the oldest for 12\d\d s, 0 running, 0 failed; last heartbeat of a worker (?:[7-9]|[1-4]\d) s ago \(0\.1\.0\): see that/u,
    )
    await database.script('truncate job_workers; delete from graphile_worker._private_jobs')
    await database.close()
  })

  it('tells how webhooks stand, and fails when events for them wait for long', async () => {
    await crm(['migrate'])
    const made = async (...words: string[]): Promise<string> => {
      const { status, out } = await crm([...words, '--json'], environment)
      expect(status).toBe(0)
      return String(JSON.parse(out).id)
    }
    const organization = await made('organization', 'create', '--name', 'Acme')
    const application = await made('application', 'create', '--organization', organization, '--name', 'ERP')
    await made('token', 'create', '--application', application, '--name', 'Sync', '--scopes', 'all')
    const create = [
      'webhook',
      'create',
      '--application',
      application,
      '--url',
      'https://hooks.example/',
      '--kinds',
      '*',
    ]
    const [held, paused] = [await made(...create, '--name', 'Held'), await made(...create, '--name', 'Paused')]
    await made(...create, '--name', 'Active')
    const database = new Database({ location: { ...server, database: name }, connections: 1 })
    await database.script(`
      insert into webhook_positions (organization_id, subscription_id, token, epoch, settled_seq, state, changed_at)
      select s.organization_id, s.id, 1, s.from_epoch, s.from_seq, case s.name when 'Held' then 'held' else 'paused' end, now()
        from webhook_subscriptions s where s.id in ('${held}', '${paused}');
      insert into webhook_parked (organization_id, subscription_id, seq, resource_id, attempts)
      select s.organization_id, s.id, 7, s.id, 1 from webhook_subscriptions s where s.id = '${held}'`)
    const state =
      '1 active, 0 events behind at most, the oldest for 0 s; 1 held, 1 paused by the server; 1 parked events'
    expect((await doctor()).checks.webhooks).toEqual({ name: 'webhooks', ok: true, message: state })
    await database.script(`
      update organization_feed set seq = seq + 1;
      insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, changed_fields, occurred_at,
             actor_type, request_id, transaction_id)
      select f.organization_id, f.seq, gen_random_uuid(), 'contact.created', 'contact', gen_random_uuid(), 'created', '{}',
             now() - interval '10 minutes', 'system', gen_random_uuid(), gen_random_uuid()
        from organization_feed f`)
    const { failed, checks } = await doctor()
    expect(failed).toEqual(['webhooks'])
    expect(checks.webhooks?.message).toMatch(
      /^1 active, 1 events behind at most, the oldest for 6\d\d s; .*: see that a worker/u,
    )
    await database.script(`update changes set occurred_at = now() - interval '26 days'`)
    await database.script(`update webhook_subscriptions set enabled = name = 'Held'`)
    expect((await doctor()).checks.webhooks?.message).toMatch(/; 1 parked events: 1 will miss events within 5 days/u)
    await database.script('update webhook_subscriptions set enabled = false')
    await database.close()
  })

  it('names each service that cannot be reached', async () => {
    const unreachable = await doctor({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    expect(unreachable).toMatchObject({ status: 1, failed: ['postgresql'] })
    expect(unreachable.checks.postgresql?.message).toContain('connect ECONNREFUSED 127.0.0.1:1. Is PostgreSQL running')
    const redis = await doctor({ REDIS_URL: 'redis://127.0.0.1:1' })
    expect(redis).toMatchObject({ status: 1, failed: ['redis'] })
  })

  it('names a data directory that cannot be written, and a configuration that is wrong', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await doctor({ CRM_DATA_DIR: file })).toMatchObject({ status: 1, failed: ['data directory'] })
    const wrong = await doctor({ CRM_SECRET: 'short' })
    expect(wrong).toMatchObject({ status: 1, failed: ['configuration'] })
    expect(wrong.checks.configuration?.message).toBe('CRM_SECRET has at least 16 characters')
  })

  it('names the privileges that a user lacks, in words that grant them', async () => {
    const [user, strange] = [`Test ${name}`, `strange_${name}`]
    const administrator = new Database({ location: { ...server, user: 'postgres' }, connections: 1 })
    await administrator.script(`create role "${user}" login`)
    await administrator.script(`create database ${strange}`)
    const inside = new Database({ location: { ...server, user: 'postgres', database: strange }, connections: 1 })
    try {
      const url = databaseUrl({ ...server, user: encodeURIComponent(user), database: strange })
      const { status, failed, checks } = await doctor({ DATABASE_URL: url })
      expect({ status, failed }).toEqual({ status: 1, failed: ['privileges'] })
      const grants = `grant create on schema public to "${user}"; grant create on database ${strange} to "${user}"`
      expect(checks.privileges?.message).toContain(grants)
      const refused = await crm(['migrate'], { ...environment, DATABASE_URL: url })
      expect(refused).toMatchObject({ status: 1, out: '' })
      expect(refused.err).toMatch(
        /^The user of the database may not do this: permission denied for database strange_\w+\. .*doctor/u,
      )

      await inside.script(grants)
      expect(await doctor({ DATABASE_URL: url })).toMatchObject({ status: 0 })
      expect(await crm(['migrate'], { ...environment, DATABASE_URL: url })).toMatchObject({ status: 0 })
    } finally {
      await inside.close()
      await administrator.script(`drop database ${strange} with (force)`)
      await administrator.script(`drop role "${user}"`)
      await administrator.close()
    }
  })

  it('names a database that cannot hold every character, and no server starts on it', async () => {
    const latin = `latin_${name}`
    await maintenance.script(`create database ${latin} encoding 'LATIN1' locale 'C' template template0`)
    try {
      const url = { DATABASE_URL: databaseUrl({ ...server, database: latin }) }
      const { failed, checks } = await doctor(url)
      expect(failed).toEqual(['postgresql'])
      expect(checks.postgresql?.message).toContain('the encoding of the database is LATIN1, and not UTF8')
      const refused = await crm(['migrate'], { ...environment, ...url })
      expect(refused).toMatchObject({ status: 1, out: '' })
      expect(refused.err).toContain('LATIN1')
    } finally {
      await maintenance.script(`drop database ${latin} with (force)`)
    }
  })

  it('names a user who may only read, and a database that is read-only', async () => {
    const [user, own] = [`reader_${name}`, `read_${name}`]
    const administrator = new Database({ location: { ...server, user: 'postgres' }, connections: 1 })
    await administrator.script(`create role ${user} login`)
    await maintenance.script(`create database ${own} template crm_template`)
    const inside = new Database({ location: { ...server, database: own }, connections: 1 })
    try {
      const owner = { DATABASE_URL: databaseUrl({ ...server, database: own }) }
      const reader = { DATABASE_URL: databaseUrl({ ...server, user, database: own }) }
      await inside.script(`grant select on all tables in schema public to ${user}`)
      const { failed, checks } = await doctor(reader)
      expect(failed).toContain('privileges')
      const message = String(checks.privileges?.message)
      expect(message).toContain(`grant usage on schema graphile_worker to ${user}; grant select, insert`)
      await inside.script(message.slice(message.indexOf(': ') + 2))
      expect((await doctor(reader)).failed).toEqual([])

      await inside.script(`alter database ${own} set default_transaction_read_only to on`)
      expect((await doctor(owner)).checks.privileges).toMatchObject({
        ok: false,
        message: expect.stringContaining(`${own} is read-only for this user`),
      })
    } finally {
      await inside.close()
      await maintenance.script(`drop database ${own} with (force)`)
      await administrator.script(`drop role ${user}`)
      await administrator.close()
    }
  })

  it('prints one line for each check', async () => {
    const { status, out } = await crm(['doctor'])
    expect(status).toBe(0)
    expect(out.trim().split('\n')).toHaveLength(16)
    expect(out).toMatch(/^ok {5}configuration: valid$/mu)
  })

  it('wants Node.js 20.19, and recommends 24', () => {
    expect(examineNode('20.19.0')).toBe('20.19.0; it gets no more fixes: install Node.js 24')
    expect(examineNode('22.13.0')).toBe('22.13.0')
    expect(examineNode('24.0.1')).toBe('24.0.1')
    expect(() => examineNode('20.18.3')).toThrow('Node.js 20.19 or later is needed, this is 20.18.3')
    expect(() => examineNode('18.20.0')).toThrow('later is needed')
  })
})

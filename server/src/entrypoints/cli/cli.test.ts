import { readdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { runCommand, useCommands } from '../../../../test/support/commands.ts'
import { noEntrypoints } from '../../../../test/support/no-entrypoints.ts'
import { newTokenText } from '../../kernel/auth/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import type { Entrypoints } from './index.ts'

const serve = vi.fn<Entrypoints['serve']>(async () => 0)
const confirm = vi.fn<Entrypoints['confirm']>(async () => false)

const commands = useCommands({ serve, confirm })
const crm: ReturnType<typeof commands>['run'] = (...given) => commands().run(...given)
const json = (...words: string[]): Promise<JsonObject> => commands().json(...words)
const reasonOf = (...words: string[]) => commands().reasonOf(...words)
const one = (text: string, id: unknown) => commands().one(text, id)

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u)
const of = async () => ['--organization', String((await json('organization', 'create', '--name', 'Acme')).id)] as const

async function anApplication(): Promise<{ organization: readonly [string, string]; application: string }> {
  const organization = await of()
  const { id } = await json('application', 'create', ...organization, '--name', 'ERP')
  return { organization, application: String(id) }
}

describe('with --json', () => {
  it('migrate prints the applied steps', async () => {
    expect(await json('migrate')).toEqual({ applied: [] })
  })

  it('organization create and set print the organization', async () => {
    const options = ['--name', 'Berlin', '--time-zone', 'Europe/Berlin', '--currency', 'EUR', '--sandbox']
    const created = await json('organization', 'create', ...options)
    const organization = {
      id: created.id,
      name: 'Berlin',
      timeZone: 'Europe/Berlin',
      defaultCurrency: 'EUR',
      currencies: ['EUR'],
      locale: 'en',
      country: 'US',
      crmProvider: 'built_in',
      sandbox: true,
      readOnly: false,
      fileQuotaBytes: 40 * 1024 ** 3,
      fileBytes: 0,
      membersSeeContactData: true,
      membersSeeAmounts: true,
      managersManageIntegrations: false,
      secondFactorRequired: false,
    }
    expect(created).toEqual(organization)
    const change = ['--provider', 'external', '--currencies', 'USD, GBP', '--time-zone', 'Asia/Tokyo']
    expect(await json('organization', 'set', '--organization', String(created.id), ...change)).toEqual({
      ...organization,
      crmProvider: 'external',
      currencies: ['EUR', 'USD', 'GBP'],
      timeZone: 'Asia/Tokyo',
    })
  })

  it('application create and set print the id', async () => {
    const organization = await of()
    const rates = ['--rate-read', '1000', '--rate-write', '200']
    const { id, ...rest } = await json('application', 'create', ...organization, '--name', 'ERP', ...rates)
    expect({ id, rest }).toEqual({ id: uuid, rest: {} })
    expect(await json('application', 'set', String(id), '--rate-write', '6000', '--disabled')).toEqual({ id })
    const text = 'select a.rate_read, a.rate_write, a.enabled from applications a where a.id = $1'
    expect(await one(text, id)).toEqual({ rate_read: 1000, rate_write: 6000, enabled: false })
    await json('application', 'set', String(id), '--enabled')
    expect(await one(text, id)).toMatchObject({ enabled: true })
  })

  it('token create and rotate print the token this once, token revoke the id', async () => {
    const { application } = await anApplication()
    const options = ['--name', 'Sync', '--scopes', 'crm_deals_read,crm_deals_write', '--cidr', '10.0.0.0/8,192.0.2.1']
    const created = await json('token', 'create', '--application', application, ...options, '--expires-in', '90d')
    const token = expect.stringMatching(/^crm_live_\w+$/u)
    const shown = {
      token,
      applicationId: application,
      application: 'ERP',
      name: 'Sync',
      scopes: ['crm_deals_read', 'crm_deals_write'],
      cidrs: ['10.0.0.0/8', '192.0.2.1'],
      expiresAt: expect.stringMatching(/Z$/u),
    }
    expect(created).toEqual({ id: expect.stringMatching(/^\w{12}$/u), ...shown })
    const validity = `select t.cidrs, round(extract(epoch from t.expires_at - t.created_at) / 3600)::integer as hours,
        t.expires_at > now() as valid, t.revoked_at is not null as revoked from api_tokens t where t.id = $1`
    expect(await one(validity, created.id)).toMatchObject({ cidrs: ['10.0.0.0/8', '192.0.2.1'], hours: 2160 })

    const rotated = await json('token', 'rotate', String(created.id), '--overlap', '7d')
    const replaces = { id: created.id, validUntil: expect.stringMatching(/Z$/u) }
    expect(rotated).toEqual({ id: expect.not.stringContaining(String(created.id)), ...shown, replaces })
    expect(await one(validity, created.id)).toMatchObject({ hours: 168, valid: true })
    const again = await json('token', 'rotate', String(rotated.id))
    expect(await one(validity, rotated.id)).toMatchObject({ valid: false })
    expect(await json('token', 'revoke', String(again.id))).toEqual({ id: again.id })
    expect(await one(validity, again.id)).toMatchObject({ revoked: true })
  })

  it('operator create and set print the id', async () => {
    const organization = await of()
    const { id } = await json('operator', 'create', ...organization, '--name', 'Ann', '--email', 'ann@acme.example')
    expect(await json('operator', 'set', String(id), '--inactive')).toEqual({ id })
    expect(await one('select p.active from operators p where p.id = $1', id)).toEqual({ active: false })
    await json('operator', 'set', String(id), '--active')
    expect(await one('select p.active from operators p where p.id = $1', id)).toEqual({ active: true })
  })

  it('pipeline create prints the stages in order, whose type stands behind the last colon', async () => {
    const organization = await of()
    const stages = ['--stage', 'Phase 1: talks:open', '--stage', 'Won:won', '--stage', 'Lost:lost']
    const options = [...organization, '--name', 'Field sales', ...stages, '--default', '--lost-reason-optional']
    const created = await json('pipeline', 'create', ...options)
    expect(created).toEqual({
      id: uuid,
      stages: [
        { uuid, name: 'Phase 1: talks', type: 'open' },
        { uuid, name: 'Won', type: 'won' },
        { uuid, name: 'Lost', type: 'lost' },
      ],
    })
    const text = 'select p.is_default, p.lost_reason_required from pipelines p where p.id = $1'
    expect(await one(text, created.id)).toEqual({ is_default: true, lost_reason_required: false })
  })

  it('stage set and lost-reason create print the id and uuid', async () => {
    const organization = await of()
    const options = [...organization, '--name', 'Two', '--stage', 'One:open', 'Two:open', 'Won:won', 'Lost:lost']
    const { id, stages } = await json('pipeline', 'create', ...options)
    const stage = Array.isArray(stages) && isObject(stages[0]) ? String(stages[0].uuid) : ''
    expect(await json('stage', 'set', stage, '--archived')).toEqual({ id: stage, uuid: stage })
    expect(await one('select s.archived from stages s where s.id = $1', stage)).toEqual({ archived: true })
    const reason = ['lost-reason', 'create', ...organization, '--name', 'Late', '--pipeline', String(id)]
    expect(await json(...reason)).toEqual({ id: uuid, uuid })
  })

  it('tag create prints the id, also of a tag with an external id', async () => {
    const { organization, application } = await anApplication()
    const key = ['--application', application, '--external-id', 'T-1']
    const options = [...organization, '--name', 'VIP', '--kinds', 'contact,deal', '--color', '#00FF00', ...key]
    const { id } = await json('tag', 'create', ...options)
    expect(id).toEqual(uuid)
    expect(await one('select k.key from external_keys k where k.resource_id = $1', id)).toEqual({ key: 'T-1' })
  })

  it('custom-field create prints id and key', async () => {
    const organization = await of()
    const options = ['--kind', 'contact', '--key', 'region', '--type', 'select', '--label', 'Region', '--required']
    const choices = ['--option', 'north=Far = North', '--option', 'south']
    expect(await json('custom-field', 'create', ...organization, ...options, ...choices)).toEqual({
      id: 'contact.region',
      key: 'region',
    })
    const text = `select f.label, f.required, f.options from custom_field_definitions f
        where f.organization_id = $1 and f.key = 'region'`
    expect(await one(text, organization[1])).toEqual({
      label: 'Region',
      required: true,
      options: [
        { key: 'north', label: 'Far = North' },
        { key: 'south', label: 'south' },
      ],
    })
  })

  it('maintenance run counts the rows that it removed, by the retention of the environment', async () => {
    const nothing = {
      answers: 0,
      changes: 0,
      changeKeys: 0,
      auditEntries: 0,
      requestCounts: 0,
      failedJobs: 0,
      filesWithoutRow: 0,
      unfinishedFiles: 0,
      skipped: [],
    }
    expect(await json('maintenance', 'run')).toMatchObject(nothing)
    const wrong = { ANSWER_RETENTION_HOURS: '37', CHANGE_RETENTION_DAYS: '0', AUDIT_RETENTION_DAYS: 'x' }
    const { status, err } = await crm(['maintenance', 'run'], { ...commands().environment, ...wrong })
    expect({ status, err }).toEqual({
      status: 1,
      err:
        'ANSWER_RETENTION_HOURS is a whole number from 24 to 36; CHANGE_RETENTION_DAYS is a whole number from 1 to 3650; ' +
        'AUDIT_RETENTION_DAYS is a whole number from 1 to 36500\n',
    })
  })

  it('demo reset prints the organization that it made, and demo token the token alone', async () => {
    expect(await reasonOf('demo', 'token')).toBe('there is no demo token here: run "demo reset"')
    await of()
    const refused = 'there are other organizations here: --yes creates the demo organization beside them'
    expect(await reasonOf('demo', 'reset')).toBe(refused)
    expect(confirm).toHaveBeenCalledWith(expect.stringContaining('other organizations'))
    const reset = await json('demo', 'reset', '--yes')
    expect(reset).toEqual({
      organizationId: uuid,
      applicationId: uuid,
      companies: 12,
      contacts: 30,
      deals: 40,
      tasks: 24,
    })
    const tagged =
      'select count(*)::integer as count from contacts t where t.organization_id = $1 and cardinality(t.tag_ids) > 0'
    expect(await one(tagged, reset.organizationId)).toEqual({ count: 5 })
    const { token } = await json('demo', 'token')
    expect(await crm(['demo', 'token'])).toEqual({ status: 0, out: `${String(token)}\n`, err: '' })
    await json('demo', 'reset')
    expect(await json('demo', 'token')).toEqual({ token })
  })
})

describe('without --json', () => {
  it('commands describe their effect briefly', async () => {
    const { organization, application } = await anApplication()
    expect((await crm(['migrate'])).out).toBe('The schema is up to date.\n')
    expect((await crm(['organization', 'create', '--name', 'Acme'])).out).toMatch(
      /^Created organization \S{36} "Acme" \(UTC, USD, US, en, built_in, 40GiB of files\)\.\n$/u,
    )
    const token = await crm(['token', 'create', '--application', application, '--name', 'x', '--scopes', 'all'])
    expect(token.out).toMatch(
      /^crm_live_\w+\nKeep it: token \w{12} is not shown again\.\n\nid +\w{12}\napplication id +/u,
    )
    const stages = ['In:open', 'Won:won', 'Lost:lost']
    const pipeline = await crm(['pipeline', 'create', ...organization, '--name', 'P', '--stage', ...stages])
    expect(pipeline.out).toMatch(/^Created pipeline \S{36}:\n {2}\S{36} {2}In \(open\)\n/u)
  })

  it('help goes to standard output', async () => {
    const { status, out, err } = await crm(['token', 'create', '--help'])
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toContain('Usage: npm run -s crm -- token create')
  })

  it('the program alone shows all commands, each of which has a help of its own', async () => {
    const { status, out, err } = await crm([])
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(await crm(['--help'])).toEqual({ status, out, err })
    const commands = [...out.matchAll(/^ {2}([a-z][a-z-]*) .*$/gmu)].map(([, name = '']) => name)
    expect(commands).toContain('lost-reason')
    for (const name of commands.filter(each => each !== 'help')) {
      expect((await crm([name, '--help'])).out).toContain(`Usage: npm run -s crm -- ${name}`)
    }
  })

  it('the help marks the required options of a command', async () => {
    const { out } = await crm(['application', 'create', '--help'])
    expect(out).toMatch(/--organization <id> +of which organization \(required\)$/mu)
    expect(out).toMatch(/--rate-read <n> +reading requests per minute$/mu)
  })
})
const unknownId = '00000000-0000-4000-8000-000000000000'
describe('a failure', () => {
  it.each([
    [
      ['organization', 'create'],
      "required option '--name <name>' not specified (see npm run -s crm -- organization create --help)",
    ],
    [['organisation'], "unknown command 'organisation' (Did you mean organization?) (see npm run -s crm -- --help)"],
    [['token'], 'a command is missing (see npm run -s crm -- token --help)'],
    [['token', 'rotate'], "missing required argument 'id' (see npm run -s crm -- token rotate --help)"],
    [['migrate', '--now'], "unknown option '--now' (see npm run -s crm -- migrate --help)"],
    [
      ['application', 'set', 'x', '--enabled', '--disabled'],
      "option '--disabled' cannot be used with option '--enabled' (see npm run -s crm -- application set --help)",
    ],
    [
      ['serve', '--role', 'cron'],
      "option '--role <role>' argument 'cron' is invalid. Allowed choices are all, api, worker. (see npm run -s crm -- serve --help)",
    ],
    ...['0', '129', '2.5', 'many'].map((count): [string[], string] => [
      ['serve', '--processes', count],
      `option '--processes <n>' argument '${count}' is invalid. It is a number from 1 to 128, or auto. (see npm run -s crm -- serve --help)`,
    ]),
  ])('to use a command rightly, as in %o, gives one line and points to the help', async (words, reason) => {
    expect(await reasonOf(...words)).toBe(reason)
  })

  it('and the help call the program as an installed one is called', async () => {
    const installed = { CRM_COMMAND: '/opt/crm-server/bin/crm-server' }
    const { err } = await runCommand(['token', 'rotate'], installed, noEntrypoints)
    expect(err).toBe("missing required argument 'id' (see /opt/crm-server/bin/crm-server token rotate --help)\n")
    const { out } = await runCommand(['token', 'rotate', '--help'], installed, noEntrypoints)
    expect(out).toMatch(/^Usage: \/opt\/crm-server\/bin\/crm-server token rotate \[options\] <id>$/mu)
  })

  it.each([
    [
      ['migrate', '--citus'],
      'the database is not part of a Citus cluster: run "create extension citus" in it, on every node',
    ],
    [
      ['serve', '--role', 'worker', '--processes', '2'],
      '--processes is for a server that answers requests: start --role worker as often as needed',
    ],
    [['application', 'set', 'x', '--enabled'], 'no such application: x'],
    [['token', 'revoke', 'x'], 'no such token: x'],
    [['operator', 'set', 'x', '--active'], 'no such operator: x'],
    [['stage', 'set', 'x', '--archived'], 'no such stage: x'],
    [
      ['pipeline', 'create', '--organization', unknownId, '--name', 'P', '--stage', 'New'],
      '"New" is no stage: write its name and type, such as New:open',
    ],
    [['organization', 'create', '--name', 'A', '--currency', 'usd'], '"usd" is no ISO 4217 currency code such as USD'],
  ])('to carry out %o gives its reason', async (words, reason) => {
    expect(await reasonOf(...words)).toBe(reason)
  })

  it('to read a rate, scope or duration gives its reason', async () => {
    const { organization, application } = await anApplication()
    const create = ['application', 'create', ...organization, '--name', 'x']
    expect(await reasonOf(...create, '--rate-read', '1e3')).toContain('the read rate is a whole number')
    const token = ['token', 'create', '--application', application, '--name', 'x']
    const nearest = /^no such scope: crm_deal_read; did you mean crm_deals_read\? There are all, crm_contacts_read, /u
    expect(await reasonOf(...token, '--scopes', 'crm_deal_read')).toMatch(nearest)
    const duration = '"2w" is no duration: write a number and s, m, h or d, such as 90d'
    expect(await reasonOf(...token, '--scopes', 'all', '--expires-in', '2w')).toBe(duration)
  })

  it('to read the configuration or reach the database prints no stack, and nothing on standard output', async () => {
    const wrong = await crm(['migrate', '--json'], { ...commands().environment, PORT: 'x' })
    expect(wrong).toEqual({ status: 1, out: '', err: 'PORT is a number from 0 to 65535\n' })
    const url = 'postgres://nobody:hunter2@127.0.0.1:1/none'
    const unreachable = await crm(['migrate', '--json'], { ...commands().environment, DATABASE_URL: url })
    const understood =
      'DATABASE_URL (host 127.0.0.1, port 1, database none, user nobody): connect ECONNREFUSED 127.0.0.1:1.'
    expect(unreachable).toEqual({ status: 1, out: '', err: expect.stringMatching(/^[^\n]+\n$/u) })
    expect(unreachable.err).toContain(`${understood} Is PostgreSQL running there`)
    const cut = await crm(['migrate'], { ...commands().environment, DATABASE_URL: 'postgres://crm:hunter/2@db/crm' })
    expect(cut.err).toContain(
      'DATABASE_URL is a URL that starts with postgres:// or postgresql:// (in a password, @ / #',
    )
  })

  it('to reach PostgreSQL says how the URL was understood, and how to create what is missing', async () => {
    const url = String(commands().environment.DATABASE_URL)
    const said = async (other: string) =>
      (await crm(['organization', 'list'], { ...commands().environment, DATABASE_URL: other })).err
    expect(await said(url.replace(/test_\w+/u, 'no_such_database'))).toMatch(
      /database no_such_database, .*does not exist\. A superuser makes it with "create database "no_such_database" owner/u,
    )
    expect(await said(url.replace(/\/\/\w+@/u, '//no_such_user@'))).toMatch(
      /, user no_such_user\): role "no_such_user" does not exist\. A superuser makes a user with "create role "no_such_user"/u,
    )
  })

  it.each(['organization list', 'token list', 'maintenance run', 'doctor', 'backup x.zip'])(
    'to carry out %s without a database creates none, and names the variables',
    async words => {
      const folder = join(commands().environment.CRM_DATA_DIR ?? '', 'nowhere')
      const { status, out, err } = await crm(words.split(' '), { CRM_DATA_DIR: folder })
      expect(status).toBe(1)
      expect(`${out}${err}`).toContain(
        `There is no database in ${folder}. Set CRM_DATA_DIR to the data directory of the`,
      )
      expect(`${out}${err}`).toContain('or DATABASE_URL to its PostgreSQL')
      // `doctor` tries whether a server could make the folder.
      expect(await readdir(folder).catch(() => [])).toEqual([])
    },
  )

  it('to read a damaged token file of the demo is reported, and the file is not used', async () => {
    const file = join(commands().environment.CRM_DATA_DIR ?? '', 'demo-token')
    await writeFile(file, `${newTokenText('test').text.slice(0, -1)}\n`)
    expect(await reasonOf('demo', 'token')).toBe('there is no demo token here: run "demo reset"')
  })
})

describe('serve', () => {
  const alone = { processes: 1, isPart: false }

  it('hands the configuration and the role to the server, and takes its exit status', async () => {
    serve.mockResolvedValueOnce(1)
    expect(await crm(['serve', '--role', 'worker'])).toEqual({ status: 1, out: '', err: '' })
    expect(serve).toHaveBeenLastCalledWith(expect.objectContaining({ port: 3000 }), { ...alone, role: 'worker' })
    expect((await crm(['serve'])).status).toBe(0)
    expect(serve).toHaveBeenLastCalledWith(expect.anything(), { ...alone, role: 'all' })
  })

  it.each([
    ['4', 4],
    ['128', 128],
    ['auto', availableParallelism()],
  ])('with --processes %s has %i of them', async (words, processes) => {
    expect((await crm(['serve', '--processes', words])).status).toBe(0)
    expect(serve).toHaveBeenLastCalledWith(expect.anything(), { role: 'all', processes, isPart: false })
  })
})

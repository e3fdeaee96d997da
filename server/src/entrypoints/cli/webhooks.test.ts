import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { aCalledServer } from '../../../../test/support/called-server.ts'
import { useCommands } from '../../../../test/support/commands.ts'
import { noEntrypoints } from '../../../../test/support/no-entrypoints.ts'
import { until } from '../../../../test/support/waiting.ts'
import { Secret } from '../../kernel/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { runCli } from './run-cli.ts'

const commands = useCommands(noEntrypoints)
const json = (...words: string[]) => commands().json(...words)
const reasonOf = (...words: string[]) => commands().reasonOf(...words)
const textOf = async (...words: string[]) => (await commands().run(words)).out

let organization: string
let application: string
let token: string
let creation: readonly string[]
const secretForm = /whsec_[A-Za-z0-9+/]{43}=/u
const credential = 'Bearer 5e6f-credential'

beforeAll(async () => {
  organization = String((await json('organization', 'create', '--name', 'Acme')).id)
  application = String((await json('application', 'create', '--organization', organization, '--name', 'ERP')).id)
  token = String((await json('token', 'create', '--application', application, '--name', 'Sync', '--scopes', 'all')).id)
  creation = ['webhook', 'create', '--application', application, '--url', 'https://hooks.example/crm']
})

const create = (name: string, ...more: string[]) => json(...creation, '--name', name, '--kinds', '*', ...more)
const show = (name: string) => json('webhook', 'show', name)

async function webhooks(...where: string[]): Promise<readonly JsonObject[]> {
  const { webhooks: listed } = await json('webhook', 'list', ...where)
  return Array.isArray(listed) ? listed.filter(isObject) : []
}

describe('webhook create', () => {
  it('gives id and secret, and passes on every option', async () => {
    const rights = ['--scopes', 'crm_deals_read,crm_amounts_read', '--despite-networks', '--token', token]
    const chosen = [
      '--kinds',
      'deal.moved,deal.deleted',
      '--filter',
      'status=won',
      'status=lost',
      '--filter',
      'priority=high',
    ]
    const headers = ['--header', `Authorization: ${credential}`, 'X-Tenant:acme']
    const how = ['--body', 'full', '--own-changes', 'skip', '--concurrency', '3', '--changed-fields', 'status,amount']
    const made = await json(...creation, '--name', 'Deals', ...chosen, ...rights, ...headers, ...how)
    expect(made).toEqual({ id: expect.any(String), secret: expect.stringMatching(secretForm), warnings: [] })
    expect(await show('Deals')).toMatchObject({
      id: made.id,
      url: 'https://hooks.example/crm',
      kinds: ['deal.moved', 'deal.deleted'],
      filter: { status: ['won', 'lost'], priority: ['high'] },
      changedFields: ['status', 'amount'],
      body: 'full',
      tokenId: token,
      scopes: ['crm_deals_read', 'crm_amounts_read'],
      despiteNetworks: true,
      headerNames: ['Authorization', 'X-Tenant'],
      ownChanges: 'skip',
      concurrency: 3,
    })
    const sheet = await textOf('webhook', 'show', 'Deals')
    expect(sheet).toMatch(/^filter +status=won, status=lost, priority=high$/mu)
    expect(sheet).toMatch(/^header names +Authorization, X-Tenant$/mu)
  })

  it('prints the secret once, and no command shows it or a header again', async () => {
    const out = await textOf(...creation, '--name', 'Once', '--kinds', '*', '--header', `X-Key: ${credential}`)
    const { id } = await show('Once')
    expect(out).toMatch(secretForm)
    expect(out).toContain(`Keep it: the secret of webhook ${String(id)} is not shown again.`)
    const of = ['--organization', organization]
    const told = await Promise.all([
      ...[['--json'], []].flatMap(form => [
        textOf('webhook', 'list', ...of, ...form),
        textOf('webhook', 'list', '--all', ...form),
        textOf('webhook', 'show', 'Once', ...form),
        textOf('application', 'show', application, ...form),
        textOf('audit', 'list', ...of, ...form),
      ]),
    ])
    for (const text of told) {
      expect(text).not.toMatch(/whsec_|credential/u)
      expect(text).not.toContain(secretForm.exec(out)?.[0].slice(6))
    }
    expect(told[0]).toContain('X-Key')
  })

  it.each<[string[], string]>([
    [['--kinds', 'deal.movd'], 'no such kind of events: deal.movd: did you mean deal.moved?'],
    [['--kinds', ','], 'a webhook is for at least one kind of events'],
    [['--kinds', '*', '--filter', 'status'], '"status" is no filter: write one such as status=open'],
    [['--kinds', '*', '--header', credential], 'a header is written as "Name: value"'],
    [['--kinds', '*', '--concurrency', '1.5'], 'concurrency is a whole number from 1 to 50'],
  ])('with %j is refused', async (options, reason) => {
    expect(await reasonOf(...creation, '--name', 'Wrong', ...options)).toBe(reason)
  })
})

describe('webhook create with a file of headers', () => {
  it('takes one header from each line, beside those of options, and names no value of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crm-headers-'))
    const path = join(folder, 'headers')
    await writeFile(path, `Authorization: ${credential}\r\n\nX-Tenant: acme\n`)
    await create('From a file', '--header', 'X-Key: a-key', '--header-file', path)
    expect(await show('From a file')).toMatchObject({ headerNames: ['X-Key', 'Authorization', 'X-Tenant'] })
    await writeFile(path, credential)
    const wrong = [...creation, '--name', 'Wrong', '--kinds', '*', '--header-file']
    expect(await reasonOf(...wrong, path)).toBe('a header is written as "Name: value"')
    expect(await reasonOf(...wrong, join(folder, 'none'))).toMatch(/^the file of headers cannot be read: /u)
    await rm(folder, { recursive: true })
  })
})

describe('webhook list', () => {
  it('lists the webhooks of an application, and can select them by body or pause', async () => {
    await create('Listed', '--body', 'full')
    await create('Stopped')
    expect(await json('webhook', 'pause', 'Stopped')).toMatchObject({ id: (await show('Stopped')).id })
    const names = async (...where: string[]) =>
      (await webhooks('--application', application, ...where)).map(({ name }) => name)
    expect(await names('--paused')).toEqual(['Stopped'])
    expect(await names('--body', 'full')).toContain('Listed')
    expect(await names('--body', 'thin')).not.toContain('Listed')
    await json('webhook', 'resume', 'Stopped')
    expect(await names('--paused')).toEqual([])
    const head = /^id +name +url +kinds +body +enabled$/mu
    expect(await textOf('webhook', 'list', '--application', application)).toMatch(head)
    expect(await textOf('application', 'show', application)).toMatch(head)
  })
})

describe('webhook set', () => {
  it('changes the values that are given, and removes others with --no- options', async () => {
    const { id } = await create(
      'Set',
      '--header',
      'X-Key: abc',
      '--scopes',
      'crm_deals_read',
      '--changed-fields',
      'tags',
    )
    const back = ['--no-header', '--no-scopes', '--no-changed-fields', '--no-filter', '--no-token']
    expect(await json('webhook', 'set', 'Set', '--kinds', 'task.*', ...back)).toEqual({ id, warnings: [] })
    expect(await show('Set')).toMatchObject({ kinds: ['task.*'], headerNames: [], scopes: [], changedFields: [] })
    expect(await reasonOf('webhook', 'set', 'Set')).toBe('nothing to change was given')
    expect(await reasonOf('webhook', 'set', 'Unknown', '--body', 'full')).toBe('no such webhook: Unknown')
  })

  it('with a URL on another host says that headers were removed, and prints the new secret', async () => {
    const { id, secret } = await create('Moved', '--header', 'X-Key: abc', 'X-Tenant: acme')
    const out = await textOf('webhook', 'set', 'Moved', '--url', 'https://other.example/')
    expect(out).toMatch(secretForm)
    expect(out).not.toContain(String(secret))
    expect(out).toContain(
      `Changed webhook ${String(id)}. It has another receiver, and so another secret. Its headers were removed: X-Key, X-Tenant.`,
    )
    const moved = await json('webhook', 'set', 'Moved', '--url', 'https://third.example/')
    expect(moved).toEqual({ id, secret: expect.stringMatching(secretForm), removedHeaders: [], warnings: [] })
  })
})

describe('webhook rotate', () => {
  it('prints the new secret, and until when the former one is used', async () => {
    const { id, secret } = await create('Rotated')
    const rotated = await json('webhook', 'rotate', 'Rotated')
    expect(rotated).toEqual({
      id,
      secret: expect.stringMatching(secretForm),
      formerSecretUntil: expect.stringMatching(/Z$/u),
    })
    expect(rotated.secret).not.toBe(secret)
    const { formerSecretUntil: until } = await show('Rotated')
    expect(until).toBe(rotated.formerSecretUntil)
    expect(await textOf('webhook', 'rotate', 'Rotated', '--overlap', '7d')).toContain('signs deliveries as well until')
    expect(await textOf('webhook', 'rotate', 'Rotated', '--overlap', '0s')).toContain(
      'The former secret is used no more.',
    )
    expect(await reasonOf('webhook', 'rotate', 'Rotated', '--overlap', '8d')).toBe('an overlap is 7d at most')
  })
})

describe('webhook test', () => {
  it('prints status, time and answer, in which nothing controls the terminal', async () => {
    const server = await aCalledServer((_request, response) => response.writeHead(418).end('\u001b[31mred\u0007\u009b'))
    const environment = { ...commands().environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' }
    const where = ['--application', application, '--url', `http://127.0.0.1:${server.port}/`]
    const run = async (...words: string[]) => commands().run(words, environment)
    expect((await run('webhook', 'create', ...where, '--name', 'Tested', '--kinds', '*')).status).toBe(0)
    const answer = '\ufffd[31mred\ufffd\ufffd'
    const { out } = await run('webhook', 'test', 'Tested', '--json')
    expect(JSON.parse(out)).toEqual({ status: 418, milliseconds: expect.any(Number), answer })
    expect((await run('webhook', 'test', 'Tested')).out).toMatch(
      new RegExp(`^418 after \\d+ ms\\n\\n${answer.replace('[', '\\[')}\\n$`, 'u'),
    )
    expect(server.received).toHaveLength(2)
    expect(await reasonOf('webhook', 'test', 'Tested')).toContain('forbidden: 127.0.0.1 is no public address')
  })
})

describe('webhook log', () => {
  it('lists the latest calls, and refuses an unknown webhook and a limit out of range', async () => {
    const { id } = await create('Logged')
    expect(await json('webhook', 'log', 'Logged')).toEqual({ calls: [] })
    expect(await textOf('webhook', 'log', 'Logged', '--failed')).toBe('There are no such calls.\n')
    await commands().one(
      `with p as (
         insert into webhook_positions (organization_id, subscription_id, token, epoch, settled_seq, state, reason, changed_at)
         select s.organization_id, s.id, 1, s.from_epoch, s.from_seq, 'held', 'timeout', '2026-03-02T10:00:00Z'
           from webhook_subscriptions s where s.id = $1 returning organization_id, subscription_id),
       f as (
         insert into webhook_failures (organization_id, subscription_id, at, seq, attempt, failure, took)
         select p.organization_id, p.subscription_id, '2026-03-02T10:00:00Z', 8, 2, 'timeout', 15000 from p)
       insert into webhook_runs (organization_id, subscription_id, at, from_seq, to_seq, distances, status, took, sent)
       select p.organization_id, p.subscription_id, '2026-03-02T09:00:01Z', 5, 7, '{0,2}', '{200,204}', '{3,4}', '{1000,500}' from p`,
      id,
    )
    const failed = { seq: 8, outcome: 'failed', attempt: 2, status: null, failure: 'timeout', milliseconds: 15_000 }
    const { calls } = await json('webhook', 'log', 'Logged', '--limit', '2')
    expect(calls).toMatchObject([
      { ...failed, kind: null, recordId: null, at: '2026-03-02T10:00:00.000Z' },
      { seq: 7, outcome: 'delivered', status: 204, milliseconds: 4, at: '2026-03-02T09:00:00.500Z' },
    ])
    expect(await json('webhook', 'log', 'Logged', '--failed')).toMatchObject({ calls: [failed] })
    const text = await textOf('webhook', 'log', 'Logged')
    expect(text).toMatch(/^at +seq +kind +record id +outcome +attempt +status +milliseconds +replay id +answer$/mu)
    expect(text).toMatch(/^2026-03-02T10:00:00.000Z +8 +- +- +failed +2 +timeout +15000 +- +-$/mu)
    expect(await reasonOf('webhook', 'log', 'Unknown')).toBe('no such webhook: Unknown')
    for (const limit of ['0', '1001', 'some'])
      expect(await reasonOf('webhook', 'log', 'Logged', '--limit', limit)).toBe(
        '--limit takes a whole number from 1 to 1000',
      )
  })
})

describe('webhook log --follow', () => {
  it('prints each new call once, until a signal ends it with the status 0', async () => {
    const { id } = await create('Followed')
    let out = ''
    const streams = { out: (text: string) => void (out += text), err: () => {} }
    const words = ['webhook', 'log', 'Followed', '--follow', '--json']
    const listeners = process.listenerCount('SIGTERM')
    const ended = runCli(words, commands().environment, noEntrypoints, streams)
    const insert = () =>
      commands().one(
        `with p as (
           insert into webhook_positions (organization_id, subscription_id, token, epoch, settled_seq, changed_at)
           select s.organization_id, s.id, 1, s.from_epoch, s.from_seq, now() from webhook_subscriptions s where s.id = $1
           on conflict (organization_id, subscription_id) do update set token = webhook_positions.token
           returning organization_id, subscription_id)
         insert into webhook_runs (organization_id, subscription_id, at, from_seq, to_seq, distances, status, took, sent)
         select p.organization_id, p.subscription_id, clock_timestamp(), n.seq, n.seq, '{0}', '{200}', '{3}', '{4}'
           from p, (select count(*) + 1 as seq from webhook_runs r where r.subscription_id = $1) n`,
        id,
      )
    // Those from before it has looked for the first time are not new.
    await until('two calls', async () => {
      await insert()
      return out.split('\n').length > 2
    })
    process.emit('SIGTERM')
    expect(await ended).toBe(0)
    expect(process.listenerCount('SIGTERM')).toBe(listeners)
    const seqs = out
      .trim()
      .split('\n')
      .map(each => JSON.parse(each).seq)
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0] + index))
  })
})

describe('webhook replay', () => {
  it('prints the id of the replay, what it sends and why it waits, and show lists it', async () => {
    const { id } = await create('Replayed')
    const past = new Date(Date.now() - 60_000).toISOString()
    await commands().one(
      `with f as (
         update organization_feed f set seq = 9, oldest_seq = 3 from webhook_subscriptions s
          where s.id = $1 and f.organization_id = s.organization_id returning f.organization_id),
       p as (
         insert into webhook_positions (organization_id, subscription_id, token, epoch, settled_seq, changed_at)
         select s.organization_id, s.id, 1, s.from_epoch, 8, now() from webhook_subscriptions s where s.id = $1
         returning organization_id, subscription_id)
       insert into webhook_failures (organization_id, subscription_id, at, seq, resource_id, attempt, failure, took)
       select p.organization_id, p.subscription_id, now(), n.seq, gen_random_uuid(), 10, 'timeout', 15000
         from p cross join (values (2), (5), (7)) as n (seq)`,
      id,
    )
    const one = await json('webhook', 'replay', 'Replayed', '--event', '4')
    expect(one).toEqual({ id: expect.any(String), from: 4, to: 4, events: 1, state: 'active' })
    const range = await json('webhook', 'replay', 'Replayed', '--from', '3')
    expect(range).toMatchObject({ from: 3, to: 8, events: 6 })
    const failed = await json('webhook', 'replay', 'Replayed', '--failed-since', past)
    expect(failed).toMatchObject({ from: 5, to: 7, events: 2 })
    await json('webhook', 'pause', 'Replayed')
    expect(await textOf('webhook', 'replay', 'Replayed', '--from', '4', '--to', '6')).toMatch(
      /^Replay [0-9a-f-]{36} sends what the webhook asks for among 3 events of the feed, 4 to 6\. It waits, because the webhook is paused\.\n$/u,
    )
    expect(await textOf('webhook', 'replay', 'Replayed', '--failed-since', '1h')).toMatch(
      /^Replay [0-9a-f-]{36} sends 2 events of the feed, 5 to 7\. It waits/u,
    )
    expect(await reasonOf('webhook', 'replay', 'Replayed', '--event', '4')).toBe(
      'a webhook has at most 5 replays that have not ended: see webhook show',
    )
    const { replays } = await show('Replayed')
    expect(replays).toHaveLength(5)
    expect(replays).toContainEqual({
      id: failed.id,
      state: 'active',
      reason: null,
      from: 5,
      to: 7,
      chosen: 2,
      position: 4,
      delivered: 0,
      failed: 0,
      gone: 0,
      createdAt: expect.stringMatching(/Z$/u),
      endedAt: null,
    })
    expect(await textOf('webhook', 'show', 'Replayed')).toMatch(/^replays\nid +state +reason +from +to +chosen/mu)
    const cancel = ['webhook', 'replay', 'Replayed', '--cancel'] as const
    expect(await json(...cancel, String(failed.id))).toEqual({ id: failed.id })
    expect((await show('Replayed')).replays).toContainEqual(
      expect.objectContaining({ id: failed.id, state: 'ended', reason: 'canceled', endedAt: expect.any(String) }),
    )
    expect(await textOf(...cancel, String(one.id))).toBe(`Canceled replay ${one.id}.\n`)
    expect(await reasonOf(...cancel, String(one.id))).toBe('the replay has ended already: see webhook show')
    expect(await reasonOf(...cancel, String(range.id), '--from', '3')).toMatch(
      /--cancel <replay>' cannot be used with .*--from/u,
    )
  })

  it.each<[string[], string]>([
    [[], 'which events: --event, --from or --failed-since'],
    [['--to', '4'], 'which events: --event, --from or --failed-since'],
    [['--event', 'four'], '--event takes the number of an event of the feed'],
    [['--event', '2'], 'the feed no longer has event 2: it has 3 to 9'],
    [['--from', '10'], 'the feed has no event 10: it has 3 to 9'],
    [['--from', 'monday'], '"monday" is no time: write one such as 2026-03-31 or 7d'],
    [['--from', '1h'], 'the feed has no event since that time'],
    [['--from', '3', '--to', '2026-03-31'], 'the feed has no event between these times'],
    [['--failed-since', '1h'], 'no event that has failed since that time is still undelivered'],
  ])('with %j is refused', async (options, reason) => {
    const [any] = await webhooks('--application', application)
    expect(await reasonOf('webhook', 'replay', String(any?.name), ...options)).toBe(reason)
  })
})

describe('webhook show', () => {
  it('tells how deliveries stand', async () => {
    const { id } = await create('Standing')
    expect(await show('Standing')).toMatchObject({ id, deliveries: { state: 'active', behind: 0, parkedEvents: 0 } })
    await json('webhook', 'pause', 'Standing')
    expect(await show('Standing')).toMatchObject({ deliveries: { state: 'paused', reason: 'command' } })
    const sheet = await textOf('webhook', 'show', 'Standing')
    expect(sheet).toMatch(/^state +paused$/mu)
    expect(sheet).toMatch(/^reason +it was paused by a command, /mu)
    expect(sheet).toMatch(/^behind +0$/mu)
  })
})

describe('webhook remove', () => {
  it('removes it', async () => {
    const { id } = await create('Removed')
    expect(await json('webhook', 'remove', 'Removed')).toEqual({ id })
    expect(await reasonOf('webhook', 'show', 'Removed')).toBe('no such webhook: Removed: see webhook list')
  })
})

describe('secret rotate', () => {
  it('encrypts secrets, former secrets and headers of webhooks with the new secret', async () => {
    const { id } = await create('Kept', '--header', 'X-Key: abc')
    const { secret } = await json('webhook', 'rotate', 'Kept')
    const { CRM_SECRET: former = '', ...environment } = commands().environment
    const next = 'the next secret of the tests, long enough'
    const rotated = await commands().run(['secret', 'rotate', '--json'], {
      ...environment,
      CRM_SECRET: next,
      CRM_SECRET_PREVIOUS: former,
    })
    expect(rotated).toMatchObject({ status: 0, err: '' })
    const row = await commands().one(
      'select t.secret, t.former_secret, t.headers from webhook_subscriptions t where t.id = $1',
      id,
    )
    const place = { organizationId: organization, kind: 'webhook', recordId: String(id) }
    const opened = Object.values(row ?? {}).map(stored => new Secret(next).keyring.decrypt(String(stored), place))
    expect(opened).toEqual([secret, expect.stringMatching(secretForm), '[{"name":"X-Key","value":"abc"}]'])
  })
})

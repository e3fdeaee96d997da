import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { useCommands } from '../../../../test/support/commands.ts'
import { noEntrypoints } from '../../../../test/support/no-entrypoints.ts'
import { FileStoreFailure } from '../../kernel/files/index.ts'
import { reasonOf as reasonOfError } from './reason.ts'

const commands = useCommands(noEntrypoints)
const json = (...words: string[]) => commands().json(...words)
const reasonOf = (...words: string[]) => commands().reasonOf(...words)
const text = async (...words: string[]) => (await commands().run(words)).out

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u)
const time = expect.stringMatching(/Z$/u)

let organization: string
let application: string
let of: readonly [string, string]

beforeAll(async () => {
  organization = String((await json('organization', 'create', '--name', 'Acme')).id)
  of = ['--organization', organization]
  application = String((await json('application', 'create', ...of, '--name', 'ERP')).id)
})

it('show country and locale, and the job that normalises phone numbers anew', async () => {
  const of = ['--name', 'Berlin', '--country', 'de', '--locale', 'de-de']
  const created = await json('organization', 'create', ...of)
  expect(created).toMatchObject({ country: 'DE', locale: 'de-DE' })
  const id = String(created.id)
  const changed = await json('organization', 'set', id, '--country', 'at', '--locale', 'de')
  expect(changed).toMatchObject({ country: 'AT', locale: 'de', phoneJobId: uuid })
  const job = { job: 'phone_normalization', organizationId: id, state: 'waiting' }
  const progress = { status: 'queued', counters: { changed: 0 }, done: 0, total: null }
  expect(await json('job', 'show', String(changed.phoneJobId))).toMatchObject({ ...job, progress })
  expect(await text('organization', 'set', id, '--country', 'CH')).toMatch(
    /\nIts phone numbers are normalised anew: see job show [0-9a-f-]{36} --follow\.\n$/u,
  )
  const cancelled = String((await json('organization', 'set', id, '--country', 'AT')).phoneJobId)
  expect((await commands().run(['job', 'cancel', cancelled])).status).toBe(0)
  expect(await json('job', 'show', cancelled)).toMatchObject({ progress: { status: 'canceled' } })
  expect(await reasonOf('organization', 'set', id, '--country', 'XX')).toBe(
    '"XX" is no ISO 3166-1 country code such as DE',
  )
  expect(await reasonOf('organization', 'set', id, '--locale', 'd')).toBe('"d" is no language tag such as de or pt-BR')
})

it('show whether an organization is read-only, which one command changes for all', async () => {
  const readOnly = async () => (await json('organization', 'show', organization)).readOnly
  expect(await json('organization', 'set', organization, '--read-only')).toMatchObject({ readOnly: true })
  // A read-only organization can be administered.
  expect(await text('organization', 'set', organization, '--name', 'Acme')).toContain('read-only')
  expect(await json('organization', 'set', organization, '--writable')).toMatchObject({ readOnly: false })
  expect((await commands().run(['organization', 'set', '--all', '--read-only'])).out).toMatch(
    /^Made \d+ organizations read-only\.\n$/u,
  )
  expect(await readOnly()).toBe(true)
  const { organizations } = await json('organization', 'set', '--all', '--writable')
  expect(organizations).toContainEqual({ id: organization })
  expect(await readOnly()).toBe(false)
  for (const wrong of [['--all'], ['--all', '--read-only', '--name', 'B'], [organization, '--all', '--writable']])
    expect(await reasonOf('organization', 'set', ...wrong)).toBe('--all goes with --read-only or --writable alone')
})

it('give audit entries, those of tokens too, with the user who ran the command', async () => {
  const { id } = await json(
    'token',
    'create',
    '--application',
    application,
    '--name',
    'Wide',
    '--scopes',
    'crm_deals_read',
  )
  await json('token', 'set', String(id), '--scopes', 'crm_deals_read,crm_deals_write')
  const entries = (await json('audit', 'list', ...of, '--resource', 'token', '--since', '1h', '--limit', '2')).entries
  expect(entries).toMatchObject([
    {
      action: 'token.updated',
      actorType: 'system',
      commandUser: userInfo().username,
      changes: [{ field: 'scopes', before: ['crm_deals_read'], after: ['crm_deals_read', 'crm_deals_write'] }],
    },
    { action: 'token.created', commandUser: userInfo().username },
  ])
  expect(JSON.stringify(entries)).not.toContain('secret')
  const [line] = (await text('audit', 'list', ...of, '--resource', 'token')).split('\n')
  expect(line).toContain(`by a command of ${userInfo().username}  scopes: ["crm_deals_read"] →`)
  expect(await text('audit', 'list', ...of, '--since', '2999-01-01')).toBe('There are no such entries.\n')
  expect(await reasonOf('audit', 'list', ...of, '--since', 'monday')).toBe(
    '"monday" is no time: write one such as 2026-03-31 or 7d',
  )
  expect(await reasonOf('audit', 'list', ...of, '--limit', '0')).toBe('--limit takes a whole number from 1 to 10000')
  await json('token', 'revoke', String(id))
})

it('say until when a token that was rotated is good', async () => {
  const created = async () => {
    const words = ['--application', application, '--name', 'Short', '--scopes', 'crm_deals_read', '--expires-in', '2d']
    return String((await json('token', 'create', ...words)).id)
  }
  const [one, other] = [await created(), await created()]
  expect(await text('token', 'rotate', one, '--overlap', '1d')).toMatch(
    new RegExp(`\\n\\nThe old token ${one} is valid until \\S+Z\\.\\n$`, 'u'),
  )
  expect(await text('token', 'rotate', other)).toMatch(new RegExp(`\\n\\nThe old token ${other} has ended\\.\\n$`, 'u'))
  expect(await json('token', 'rotate', await created(), '--overlap', '1h')).toMatchObject({
    replaces: { id: expect.any(String), validUntil: time },
  })
})

it('name a missing file in a sentence', async () => {
  expect(await reasonOf('backup', 'verify', '/tmp/no-backup.zip')).toBe('There is no file /tmp/no-backup.zip')
  expect(await reasonOf('backup', '/tmp/no-folder/of/crm.zip')).toBe(
    'There is no folder /tmp/no-folder/of: make it first',
  )
  expect(await reasonOf('organization', 'import', '/tmp')).toBe('/tmp is not a file')
})

it.each([
  ['CredentialsProviderError', 'There are no credentials for the bucket: set S3_ACCESS_KEY_ID and '],
  ['InvalidAccessKeyId', 'The bucket does not know the access key: see S3_ACCESS_KEY_ID and '],
  ['SignatureDoesNotMatch', 'The bucket does not take the secret of the access key: see '],
  ['Forbidden', 'The bucket refuses the credentials: see S3_ACCESS_KEY_ID and '],
  ['AccessDenied', 'The credentials may not use the bucket: '],
  ['NoSuchBucket', 'There is no such bucket: see its name, '],
])('describe the fault of the bucket in a sentence, as with %s', async (name, words) => {
  const reason = await reasonOfError(new FileStoreFailure(`the bucket of files: ${name}: its words`))
  expect(reason.startsWith(words)).toBe(true)
  expect(reason).toMatch(/\. The bucket says: .+: its words$/u)
})

it('take a name in the place of an id where nothing else of the kind has it', async () => {
  const id = (await json('organization', 'create', '--name', 'Kestrel')).id
  expect(await json('organization', 'show', 'kestrel')).toMatchObject({ id })
  expect(await json('organization', 'set', 'Kestrel', '--time-zone', 'Europe/Berlin')).toMatchObject({ id })
  const shop = await json('application', 'create', '--organization', String(id), '--name', 'Shop')
  expect(await json('application', 'list', '--organization', 'Kestrel')).toMatchObject({
    applications: [{ id: shop.id }],
  })
  expect(await json('application', 'show', 'shop')).toMatchObject({ id: shop.id, organizationId: id })
  expect(await json('application', 'set', 'Shop', '--rate-read', '7')).toEqual({ id: shop.id })
  const { id: tokenId } = await json('token', 'create', '--application', 'Shop', '--name', 'Sync', '--scopes', 'all')
  expect(await json('token', 'list', '--application', 'Shop')).toMatchObject({ tokens: [{ id: tokenId }] })
  const { id: another } = await json('application', 'create', ...of, '--name', 'Shop')
  const candidates = `${another} (Acme), ${shop.id} (Kestrel)`
  expect(await reasonOf('application', 'show', 'Shop')).toBe(
    `several applications are named Shop, use the id of one: ${candidates}`,
  )
  expect(await json('application', 'show', 'Shop', '--organization', 'kestrel')).toMatchObject({ id: shop.id })
  expect(await reasonOf('application', 'show', 'Nobody')).toBe('no such application: Nobody: see application list')
})

it('complete their words and options in a shell', async () => {
  const installed = { ...commands().environment, CRM_COMMAND: 'crm-server' }
  const { out: script } = await commands().run(['completion'], installed)
  const completed = (...words: string[]) => {
    const typed = words.map(word => `'${word}'`).join(' ')
    const ask = `COMP_WORDS=(crm-server ${typed}); COMP_CWORD=${words.length}; _crm_server; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' }).trim()
  }
  expect(completed('orga')).toBe('organization')
  expect(completed('organization', 'se')).toBe('set')
  expect(completed('organization', 'set', 'Acme', '--read')).toBe('--read-only')
  expect(completed('backup', 'v')).toBe('verify')
  expect((await commands().run(['completion', '--shell', 'zsh'], installed)).out).toMatch(
    /^autoload .*bashcompinit\n_crm/u,
  )
})

it('take names of organizations, applications and pipelines in every command that creates, moves or removes', async () => {
  const { id } = await json('organization', 'create', '--name', 'Heron')
  const within = ['--organization', 'heron']
  await json('application', 'create', ...within, '--name', 'Till')
  const { id: operator } = await json('operator', 'create', ...within, '--name', 'Ann', '--email', 'ann@example.com')
  expect(await json('operator', 'show', 'Ann')).toMatchObject({ id: operator, organizationId: id })
  const line = await json(
    'pipeline',
    'create',
    ...within,
    '--name',
    'Leases',
    '--stage',
    'New:open',
    'Won:won',
    'Lost:lost',
  )
  const { uuid: reason } = await json('lost-reason', 'create', ...within, '--name', 'Far', '--pipeline', 'leases')
  expect(await json('lost-reason', 'show', String(reason))).toMatchObject({ pipelineId: line.id })
  const tagged = await json('tag', 'create', ...within, '--name', 'Red', '--application', 'till', '--external-id', 'r')
  expect(await json('tag', 'show', String(tagged.id))).toMatchObject({ organizationId: id })
  await json('custom-field', 'create', ...within, '--kind', 'deal', '--key', 'floor', '--type', 'number')
  expect(await json('custom-field', 'show', 'deal.floor', ...within)).toMatchObject({ key: 'floor' })
  const channel = await json('channel', 'create', ...within, '--type', 'telegram', '--name', 'Desk')
  expect(await json('channel', 'show', 'desk')).toMatchObject({ id: channel.id })
  expect(await json('channel', 'set', 'Desk', '--status', 'disabled')).toMatchObject({ id: channel.id })
  expect(await json('channel', 'remove', 'Desk')).toMatchObject({ id: channel.id })
  expect(await json('job', 'list', ...within)).toEqual({ jobs: [] })
  expect(await reasonOf('integration', 'test', 'Orders')).toBe('no such api integration: Orders')
  expect(await reasonOf('knowledge', 'search', ...within, '--base', 'Help', '--query', 'x')).toBe(
    'no such knowledge base: Help',
  )
  expect(await reasonOf('tag', 'create', '--organization', 'Nowhere', '--name', 'Red')).toBe(
    'no such organization: Nowhere',
  )
  const file = join(String(commands().environment.CRM_DATA_DIR), 'heron.jsonl')
  expect(await json('organization', 'export', 'Heron', file)).toMatchObject({ id, file })
  expect(await json('organization', 'remove', 'HERON', '--confirm', 'Heron')).toMatchObject({ id })
})

it('show the records of organizations, and the requests of their applications', async () => {
  const { id } = await json('organization', 'create', '--name', 'Used')
  const { id: quiet } = await json('application', 'create', '--organization', String(id), '--name', 'Quiet')
  const { id: busy } = await json('application', 'create', '--organization', String(id), '--name', 'Busy')
  await commands().test.database.script(`
    insert into request_counts (organization_id, application_id, day, requests, refusals)
      values ('${id}', '${busy}', now() at time zone 'utc', 40, 2),
             ('${id}', '${busy}', now() at time zone 'utc' - interval '5 days', 2, 1);
    insert into files (organization_id, id, purpose, name, media_type, size_bytes, sha256, created_at)
      values ('${id}', gen_random_uuid(), 'attachment', 'a', 'text/plain', 5000, '', now())`)
  const used = { id, name: 'Used', files: 1, bytes: 5000, jobs: { bulkJobs: 0, exports: 0, imports: 0 } }
  const idle = { id: quiet, name: 'Quiet', requests: 0, refusals: 0 }
  expect(await json('usage', '--organization', 'used', '--since', '1d')).toEqual({
    since: time,
    organizations: [
      {
        ...used,
        records: expect.objectContaining({ contacts: 0, deals: 0, 'knowledge-bases': 0 }),
        applications: [{ id: busy, name: 'Busy', requests: 40, refusals: 2 }, idle],
      },
    ],
  })
  const all = await json('usage')
  expect(all.organizations).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: organization }),
      expect.objectContaining({
        ...used,
        applications: [{ id: busy, name: 'Busy', requests: 42, refusals: 3 }, idle],
      }),
    ]),
  )
  expect(await text('usage', '--organization', String(id))).toMatch(
    /^id +organization +records +files +bytes +jobs\n\S+ +Used +0 +1 +5000 +0\n\nid +organization +application +requests +refusals\n\S+ +Used +Busy +42 +3\n/u,
  )
  expect(await reasonOf('usage', '--since', 'x')).toBe('"x" is no time: write one such as 2026-03-31 or 7d')
  expect(await text('usage', '--help')).toContain('Servers count them by the day in UTC')
})

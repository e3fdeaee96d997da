import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCrm } from './support/given.ts'

const given = useCrm()

/** A record that a command prints. */
interface Shown extends Readonly<Record<string, unknown>> {
  readonly id: string
  readonly version: number
}

/** Runs a command that succeeds, and reads the records that it prints. */
async function records(words: readonly string[], input = ''): Promise<Shown[]> {
  const { status, out, err } = await given.crm(words, { input })
  expect({ status, err }).toEqual({ status: 0, err: expect.any(String) })
  return out
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

async function record(...words: string[]): Promise<Shown> {
  const [only] = await records(words)
  if (only === undefined) throw new Error('the command printed nothing')
  return only
}

test('a contact is created from options and JSON together, read, and changed with the version that was read', async () => {
  const data = JSON.stringify({ firstName: 'Ann', contactData: { emails: [{ value: 'anna@example.com' }] } })
  const { id, version } = await record('contacts', 'create', '--first-name', 'Anna', '--data', data)
  expect(version).toBe(1)
  expect(await record('contacts', 'get', id, '--fields', 'firstName,contactData.emails.0.value')).toEqual({
    firstName: 'Anna',
    'contactData.emails.0.value': 'anna@example.com',
  })
  const changed = await record('contacts', 'update', id, '--job-title', 'Poet')
  expect(changed).toMatchObject({ version: 2, jobTitle: 'Poet' })
  expect(await record('contacts', 'update', id, '--job-title', '')).toMatchObject({ version: 3, jobTitle: null })
})

test('a body is read from a file and from standard input', async () => {
  const file = join(given.home, 'company.json')
  writeFileSync(file, '\ufeff{"name":"Engines"}')
  expect(await record('companies', 'create', '--data', `@${file}`)).toMatchObject({ name: 'Engines' })
  const [piped] = await records(['companies', 'create', '--data', '-'], '{"name":"Looms"}')
  expect(piped).toMatchObject({ name: 'Looms' })
  const absent = await given.crm(['companies', 'create', '--data', '@absent.json'])
  expect(absent).toMatchObject({ status: 2, err: 'crm: absent.json cannot be read: ENOENT\n' })
})

test('a list is read to the limit, or to its end in pages', async () => {
  const { client } = given.organization
  const items = Array.from({ length: 100 }, (_, at) => ({ externalId: `p${at}`, firstName: 'A', lastName: `${at}` }))
  await client.post('/contacts/batch/upsert', { items })
  await client.post('/contacts/batch/upsert', {
    items: items.map(item => ({ ...item, externalId: `q${item.lastName}` })),
  })
  const first = await given.crm(['contacts', 'list'])
  expect(first.out.trimEnd().split('\n')).toHaveLength(50)
  expect(first.err).toBe('there are more: --all shows them, --limit some\n')
  expect(await records(['contacts', 'list', '--limit', '120'])).toHaveLength(120)
  const all = await records(['contacts', 'list', '--all', '--fields', 'id'])
  expect(new Set(all.map(({ id }) => id)).size).toBe(200)
  expect(await records(['contacts', 'list', '--external-id', 'p7'])).toMatchObject([{ lastName: '7' }])
})

test('exit statuses tell what is missing, in conflict, refused and wrongly used', async () => {
  const { id } = await record('contacts', 'create', '--first-name', 'Anna')
  const missing = await given.crm(['contacts', 'get', given.organization.id])
  expect(missing).toMatchObject({ status: 3, out: '', err: expect.stringContaining('(not_found, request ') })
  const conflict = await given.crm(['contacts', 'update', id, '--first-name', 'B', '--expected-version', '7'])
  expect(conflict).toMatchObject({ status: 4, err: expect.stringContaining('its version is 1 now') })
  const refused = await given.crm(['contacts', 'create', '--external-id', ' a'])
  expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('externalId') })
  const wrong = await given.crm(['contacts', 'list', '--limit', 'many'])
  expect(wrong).toMatchObject({ status: 2, err: 'crm: --limit takes a whole number, and not many\n' })
  const nothing = await given.crm(['contacts', 'update', id])
  expect(nothing).toMatchObject({ status: 2, err: expect.stringContaining('say what to write') })
})

test('an upsert of a record that exists says what it needs', async () => {
  const upsert = (...words: string[]) =>
    given.crm(['companies', 'upsert', '--external-id', 'erp-7', '--name', 'Engines', ...words])
  expect((await upsert()).status).toBe(0)
  expect(await upsert()).toMatchObject({
    status: 4,
    err: expect.stringContaining('--expected-version, or --overwrite'),
  })
  expect((await upsert('--overwrite')).status).toBe(0)
})

test('an upsert of one record takes no option of an upsert of many, and the other way round', async () => {
  const one = await given.crm(['contacts', 'upsert', '--external-id', 'a', '--first-name', 'A', '--dry-run'])
  expect(one).toMatchObject({ status: 2, err: 'crm: --dry-run goes with --file alone\n' })
  const many = await given.crm(['contacts', 'upsert', '--file', 'people.csv', '--first-name', 'A'])
  expect(many).toMatchObject({ status: 2, err: 'crm: --first-name is for one record, and --file for many\n' })
  expect(await records(['contacts', 'list'])).toEqual([])
})

test('a command that is repeated with its key is executed once', async () => {
  const words = ['tasks', 'create', '--title', 'Call', '--idempotency-key', 'once']
  const first = await record(...words)
  expect((await record(...words)).id).toBe(first.id)
})

test('nothing is deleted without a question or --yes', async () => {
  const { id } = await record('tasks', 'create', '--title', 'Call')
  const refused = await given.crm(['tasks', 'delete', id])
  expect(refused).toMatchObject({
    status: 2,
    out: '',
    err: expect.stringContaining('--yes does it without a question'),
  })
  const asked = await given.inTerminal(['tasks', 'delete', id], [['[y/N]', 'n']])
  expect([asked.status, asked.out]).toEqual([1, expect.stringMatching(/title +Call[^]*nothing was changed/u)])
  expect((await given.crm(['tasks', 'get', id])).status).toBe(0)
  expect((await given.inTerminal(['tasks', 'delete', id], [['[y/N]', 'y']])).status).toBe(0)
  expect((await given.crm(['tasks', 'get', id])).status).toBe(3)
})

test('a contact is deleted after its preview, in the version of the preview', async () => {
  const { id } = await record('contacts', 'create', '--first-name', 'Anna', '--external-id', 'a')
  const asked = await given.inTerminal(['contacts', 'delete', id, '--mode', 'full'], [['[y/N]', 'y']])
  expect([asked.status, asked.out]).toEqual([0, expect.stringMatching(/wouldTombstoneExternalId +true/u)])
  expect((await given.crm(['contacts', 'get', id])).status).toBe(3)
})

test('what the API requires is asked for before anything is read or asked', async () => {
  const { id } = await record('contacts', 'create', '--first-name', 'Anna')
  const noMode = await given.crm(['contacts', 'delete', id, '--yes'])
  const otherMode = await given.crm(['contacts', 'delete', id, '--mode', 'all'])
  expect(otherMode).toMatchObject({
    status: 2,
    err: 'crm: --mode takes one of anonymize, full, and not all\n',
  })
  expect(noMode).toMatchObject({ status: 2, out: '', err: 'crm: say --mode (--help tells more)\n' })
  const noVersion = await given.crm(['contacts', 'activities', 'delete', id, id])
  expect(noVersion).toMatchObject({ status: 2, err: 'crm: say --expected-version (--help tells more)\n' })
  const asked = await given.inTerminal(['contacts', 'delete', id, '--mode', 'anonymize'], [['[y/N]', 'n']])
  expect(asked.out).toContain(`contacts ${id}, mode "anonymize"? [y/N]`)
  expect((await given.crm(['contacts', 'delete', id, '--mode', 'anonymize', '--yes'])).status).toBe(0)
})

test('two contacts are merged once every conflict is decided', async () => {
  const first = await record('contacts', 'create', '--first-name', 'Anna', '--job-title', 'Poet')
  const second = await record('contacts', 'create', '--first-name', 'Anna', '--job-title', 'Clerk')
  const merge = (...words: string[]) => given.crm(['contacts', 'merge', first.id, second.id, ...words])
  expect(await merge('--yes')).toMatchObject({
    status: 2,
    err: expect.stringMatching(/decide by --resolve.*jobTitle/u),
  })
  expect((await merge('--resolve', 'jobTitle=secondary')).status).toBe(2)
  expect((await merge('--resolve', 'jobTitle=secondary', '--yes')).status).toBe(0)
  expect(await record('contacts', 'get', first.id)).toMatchObject({ jobTitle: 'Clerk', version: 2 })
  expect((await given.crm(['contacts', 'get', second.id])).status).toBe(3)
})

test('parts of records have commands below them', async () => {
  const company = await record('companies', 'create', '--name', 'Engines')
  const data = JSON.stringify({ companies: [{ id: company.id }] })
  const { id } = await record('deals', 'create', '--title', 'Chairs', '--data', data)
  const item = await record('deals', 'items', 'create', id, '--name', 'Chair', '--quantity', '2', '--price', '9.50')
  expect(await records(['deals', 'items', 'list', id])).toMatchObject([{ id: item.id, name: 'Chair' }])
  const file = join(given.home, 'offer.txt')
  writeFileSync(file, 'An offer')
  expect(await records(['deals', 'files', 'attach', id, file])).toMatchObject([{ name: 'offer.txt' }])
  const tags = await records([
    'deals',
    'tags',
    'replace',
    id,
    '--data',
    `{"tags":[{"id":"${given.organization.tag}"}]}`,
  ])
  expect(tags).toMatchObject([{ name: 'Regular' }])
})

test('a batch whose elements are refused prints all of them, and fails', async () => {
  const items = [{ externalId: 'a', firstName: 'A' }, { externalId: 'b' }]
  const { status, out, err } = await given.crm(['contacts', 'batch-upsert', '--data', JSON.stringify({ items })])
  expect({ status, lines: out.trimEnd().split('\n').length, err }).toEqual({
    status: 1,
    lines: 2,
    err: 'crm: 1 of 2 were refused\n',
  })
})

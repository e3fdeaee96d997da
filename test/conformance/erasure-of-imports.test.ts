import { expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { everything } from './support/everything.ts'
import { aForm } from './support/forms.ts'
import { useApi } from './support/given.ts'
import { csv, expectStatus, importFile, upload } from './support/imports.ts'
import { aPerson, erase, person, traces } from './support/persons.ts'
import { outcome } from './support/requests.ts'

const given = useApi()

/** A first line that is a person, as a file without names of columns has it. */
const firstLine = [
  '  XANTIPPE ',
  'zwetschkenbaum',
  'Xantippe@Barometer.example',
  '(202) 555-0187',
  'Quartermaster',
  '1971-12-24',
]

it.each([
  ['all of its cells', firstLine, [0, 1]],
  ['its address alone', ['', 'Somebody', ' xantippe@barometer.EXAMPLE', '', '', '1971-12-24'], [1, 5]],
  ['its phone in the form of its country', ['', 'Somebody', '', '0202 5550187', '', '1971-12-24'], [1, 5]],
  ['its phone as it is dialled from abroad', ['', 'Somebody', '', '001-202.555.0187', '', '1971-12-24'], [1, 5]],
  ['its name in one cell', ['', 'Zwetschkenbaum  Xantippe', '', '', '', '1971-12-24'], [1, 5]],
  ['its last name', ['', 'Zwetschkenbaum', '', '', '', '1971-12-24'], [1, 5]],
] as const)('an erasure takes a person out of an import whose first line has %s', async (_, line, [name, other]) => {
  const organization = await given.organization()
  const { client } = organization
  const { id: personId } = await aPerson(organization)
  const mapping = { lastName: line[name] || name, 'address.city': line[other] || other }
  const rows = csv(line, ['Anna', 'Other', 'no address', '', '', ''])
  const { id } = expectStatus(await upload(client, rows), 201)
  const start = { mapping: { ...mapping, email1: 2 }, dedupPolicy: 'create_only' }
  const started = await client.post(`/imports/${id}/start`, start, { key: 'start' })
  expectStatus(started, 202)
  await runJobs(given.api)
  const finished = (await client.get(`/imports/${id}`)).data
  expect(finished).toMatchObject({ status: 'completed_with_errors', errorsFileUrl: expect.any(String) })

  expectStatus(await erase(organization, personId, 'anonymize'), 200)
  const { data } = await client.get(`/imports/${id}`)
  expect(data).toMatchObject({ mapping: { lastName: name, 'address.city': other }, fileName: 'rows.csv' })
  expect(data).not.toHaveProperty('errorsFileUrl')
  expect(data.errors).toMatchObject([{ row: 2, column: null, field: 'email1', value: null }])
  expect(await everything(given, organization)).not.toMatch(traces)
  expect(outcome(await client.post(`/imports/${id}/start`, start, { key: 'start' }))).toBe('410 resource_deleted')
})

it('a repeated upload, preview or cancel gets a 410 when its answer held a person who was erased', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id: personId } = await aPerson(organization)
  const content = csv(firstLine, ['Anna', 'Other', '', '', '', ''])
  const file = { name: 'file', fileName: 'Contacts_xantippe-zwetschkenbaum.csv', content }
  const form = aForm([file, { name: 'entityType', content: 'contacts' }])
  const uploaded = () => client.post('/imports', undefined, { ...form, key: 'upload' })
  const { id } = expectStatus(await uploaded(), 201)
  const previewed = () => client.post(`/imports/${id}/preview`, {}, { key: 'preview' })
  const canceled = () => client.post(`/imports/${id}/cancel`, {}, { key: 'cancel' })
  expectStatus(await previewed(), 200)
  expectStatus(await canceled(), 200)

  expectStatus(await erase(organization, personId, 'anonymize'), 200)
  for (const repeat of [uploaded, previewed, canceled]) expect(outcome(await repeat())).toBe('410 resource_deleted')
})

it('an erasure takes a person out of unfinished imports, dry runs, defaults and names of files', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aPerson(organization)
  const plain = csv(['Name', 'Mail'], ['Anna', 'anna@example.com'])
  const personal = csv(firstLine, ['Anna', 'Other', '', '', '', ''])
  const [uploaded, previewed, queued, rehearsed] = await Promise.all(
    [plain, personal, plain, plain].map(async content => {
      const file = { name: 'file', fileName: 'Contacts_xantippe-zwetschkenbaum.csv', content }
      const form = aForm([file, { name: 'entityType', content: 'contacts' }])
      return expectStatus(await client.post('/imports', undefined, form), 201).id
    }),
  )
  expectStatus(await client.post(`/imports/${previewed}/preview`, {}, { key: 'preview' }), 200)
  const defaults = { email2: 'XANTIPPE@barometer.example', source: 'Leipzigfair' }
  const start = { mapping: { firstName: 'Name', email1: 'Mail' }, dedupPolicy: 'create_or_update', defaults }
  expectStatus(await client.post(`/imports/${rehearsed}/start`, { ...start, dryRun: true }), 202)
  await runJobs(given.api)
  expectStatus(await client.post(`/imports/${queued}/start`, start), 202)
  // What a dry run keeps until it is finished.
  await given.sql(
    `insert into import_rehearsals (organization_id, import_id, kind, id, words, state)
     values ($1, $2, 'contact', $2, '{email:xantippe@barometer.example}', '{"lastName": "Zwetschkenbaum"}')`,
    [organization.id, queued],
  )

  expectStatus(await erase(organization, id, 'full'), 200)
  expect(await everything(given, organization)).not.toMatch(traces)
  for (const each of [uploaded, previewed, queued, rehearsed])
    expect((await client.get(`/imports/${each}`)).data).toMatchObject({ fileName: 'import.csv' })
  expect((await client.get(`/imports/${queued}`)).data.defaults).toEqual({})
})

it('an erasure takes earlier names of a person out of imports, also those of one who was merged into the person', async () => {
  const organization = await given.organization()
  const { client } = organization
  const merged = await aPerson(organization, { externalId: null })
  const { id } = await aPerson(organization, { ...bland, externalId: null })
  const heads = { primaryId: id, secondaryId: merged.id, expectedPrimaryVersion: 1, expectedSecondaryVersion: 1 }
  const preview = await client.post('/contacts/merge/preview', { primaryId: id, secondaryId: merged.id })
  const fieldResolutions = Object.fromEntries(
    (Array.isArray(preview.data.requiredResolutions) ? preview.data.requiredResolutions : []).map(field => [
      String(field),
      'primary',
    ]),
  )
  expectStatus(await client.post('/contacts/merge/commit', { ...heads, fieldResolutions }), 200)
  const contactData = { emails: [], phones: [], addresses: [], messengers: [], birthDate: null }
  const emptied = { expectedVersion: 2, contactData, description: null, source: null, jobTitle: null, middleName: null }
  expectStatus(await client.patch(`/contacts/${id}`, emptied), 200)
  await importFile(given.api, client, csv(firstLine, ['Anna', 'Other', '', '', '', '']), { mapping: { lastName: 1 } })
  expectStatus(await erase(organization, id, 'anonymize', 3), 200)
  expect(await everything(given, organization)).not.toMatch(traces)
})

const bland = {
  ...person,
  firstName: 'Anna',
  lastName: 'Other',
  contactData: { phones: [], emails: [{ value: 'anna@example.com' }], addresses: [], messengers: [], birthDate: null },
}

it('an erasure leaves imports without the person as they are, but for values in listed errors', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aPerson(organization)
  const rows = csv(['Name', 'Mail', 'Max Zwetschkenbaumer'], ['Anna', 'no address', ''])
  const start = { mapping: { firstName: 'Name', email1: 'Mail' }, defaults: { source: 'Fair' } }
  const before = await importFile(given.api, client, rows, start)
  expectStatus(await erase(organization, id, 'full'), 200)
  const after = (await client.get(`/imports/${before.id}`)).data
  const { errors, errorsFileUrl, ...others } = before
  expect(errorsFileUrl).toEqual(expect.any(String))
  expect(after).toMatchObject({ ...others, errors: [{ column: 'Mail', value: null }] })
  expect(after.errorsFileUrl).toEqual(expect.any(String))
  const [stored] = await given.sql('select errors from imports where id = $1', [before.id])
  expect(stored?.errors).toMatchObject([{ column: 'Mail', value: null }])
})

it('an erasure replaces ids of requests that hold an address of the person by a hash, the same for the same id', async () => {
  const organization = await given.organization()
  const { client } = organization
  const named = (id: string) => ({ headers: { 'X-Request-Id': id } })
  const created = await client.post('/contacts', person, named('crm/xantippe@barometer.example'))
  const { id } = objectOf(created.body.data)
  await client.post('/tasks', { title: 'Call' }, named('call-Xantippe@Barometer.EXAMPLE/1'))
  await client.post('/tasks', { title: 'Call' }, named('call-Xantippe@Barometer.EXAMPLE/1'))
  await client.post('/tasks', { title: 'Call' }, named('call-anna@example.com'))
  const ids = async () =>
    (
      await given.sql(
        `select client_request_id as id from audit_entries where organization_id = $1 and client_request_id is not null
          union all
         select client_request_id from idempotency_answers where organization_id = $1 and client_request_id is not null
          order by 1`,
        [organization.id],
      )
    ).map(row => String(row.id))
  expect(await ids()).toHaveLength(8)
  const path = `/contacts/${id}?expectedVersion=1`
  const erased = await client.delete(path, undefined, named('erase-xantippe@barometer.example'))
  expect([erased.status, erased.headers.get('x-request-id')]).toEqual([200, 'erase-xantippe@barometer.example'])
  const after = await ids()
  const hashes = after.filter(each => each.startsWith('erased-'))
  expect(after.filter(each => !each.startsWith('erased-'))).toEqual(['call-anna@example.com', 'call-anna@example.com'])
  expect(hashes).toHaveLength(8)
  expect(new Set(hashes).size).toBe(3)
  expect(await everything(given, organization)).not.toMatch(traces)
})

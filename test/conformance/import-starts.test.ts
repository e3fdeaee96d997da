import { describe, expect, it } from 'vitest'
import { bounds, scopes } from '../../server/src/kernel/index.ts'
import { type JsonObject, newId } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { setBound } from '../support/set-bound.ts'
import { useApi } from './support/given.ts'
import { expectStatus, importFile, upload } from './support/imports.ts'
import { issuePaths, outcome } from './support/requests.ts'

const given = useApi()

/** The objects in a list. */
const objectsIn = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : [])

describe('before the start', () => {
  it('a preview shows the columns, a proposed mapping, and the fields of the token', async () => {
    const organization = await given.organization()
    const { client } = organization
    const file = 'Vorname;Nachname;E-Mail-Adresse;Mobiltelefon;PLZ\nAnna;Müller;anna@example.com;+49 30 1234567;01067\n'
    const { id } = expectStatus(await upload(client, Buffer.from(file, 'latin1')), 201)
    const { data } = await client.post(`/imports/${id}/preview`, { sampleSize: 1 })
    expect(data).toMatchObject({ rowCount: 1, encoding: 'windows-1252', delimiter: ';', sheets: [] })
    expect(objectsIn(data.warnings)).toMatchObject([{ code: 'guessed_encoding', column: 1, example: 'Müller' }])
    const told = objectsIn(data.columns).map(({ samples, suggestedField }) => [...[samples].flat(), suggestedField])
    expect(told).toEqual([
      ['Anna', 'firstName'],
      ['Müller', 'lastName'],
      ['anna@example.com', 'email1'],
      ['+49 30 1234567', 'phone1'],
      ['01067', 'address.postalCode'],
    ])
    const keys = objectsIn(data.fields).map(({ key }) => key)
    expect(keys).toContain('phone2')
    const poor = await organization.token(['crm_import_manage'])
    const less = (await poor.post(`/imports/${id}/preview`, {})).data
    expect(objectsIn(less.fields).map(({ key }) => key)).not.toContain('phone2')
    expect(objectsIn(less.columns)[2]?.suggestedField).toBeNull()
    expect((await client.get(`/imports/${id}`)).data.status).toBe('ready')
  })

  it('a preview shows samples to those who may read them in records', async () => {
    const organization = await given.organization()
    const file = 'First Name,Mail,Spare,Number,Region\nAnna,anna@example.com,b@example.com,+49 30 1234567,x\n'
    const { id } = expectStatus(await upload(organization.client, file), 201)
    const shown = async (missing: readonly string[]) => {
      const client = await organization.token(scopes.filter(scope => !missing.includes(scope)))
      const { data, meta } = await client.post(`/imports/${id}/preview`, {})
      expect(data).not.toHaveProperty('entityType')
      return [objectsIn(data.columns).flatMap(({ samples }) => samples), meta.redacted]
    }
    expect(await shown([])).toEqual([['Anna', 'anna@example.com', 'b@example.com', '+49 30 1234567', 'x'], undefined])
    expect(await shown(['crm_contact_data_read'])).toEqual([['Anna'], ['contact_data']])
    expect(await shown(['crm_contacts_read'])).toEqual([[], undefined])
  })

  it('a preview hides each address and number from a token without their scope, whatever its column is and whichever token asked before', async () => {
    const organization = await given.organization()
    const rows = ['Ann <a@x.example>,+49 30 1234567', 'a@x.example / b@x.example,12345', 'unbekannt,0171/1234567']
    const file = `Mail,Rang,anna@example.com\n${rows.map(row => `${row},2024-01-31\n`).join('')}`
    const { id } = expectStatus(await upload(organization.client, file), 201)
    const poor = await organization.token(scopes.filter(scope => scope !== 'crm_contact_data_read'))
    const [key, path] = ['previewed-twice', `/imports/${id}/preview`]
    const whole = await organization.client.post(path, {}, { key })
    const told = ({ data }: typeof whole) => objectsIn(data.columns).map(({ name, samples }) => [name, samples])
    expect(told(whole)[2]).toEqual(['anna@example.com', ['2024-01-31', '2024-01-31', '2024-01-31']])
    for (const answer of [await poor.post(path, {}), await poor.post(path, {}, { key })]) {
      expect(told(answer)).toEqual([
        ['Mail', ['unbekannt']],
        ['Rang', ['12345']],
        ['', ['2024-01-31', '2024-01-31', '2024-01-31']],
      ])
      expect(answer.meta.redacted).toEqual(['contact_data'])
    }
  })

  it('a preview makes no names of columns out of rows for those who may not read the records', async () => {
    const organization = await given.organization()
    const file = 'Name,Mail\nPetrova,anna@example.com\nBerg,b@example.com\n'
    const { id } = expectStatus(await upload(organization.client, file), 201)
    const names = async (missing: readonly string[], headerRow: number) => {
      const client = await organization.token(scopes.filter(scope => !missing.includes(scope)))
      const answer = await client.post(`/imports/${id}/preview`, { headerRow })
      return answer.status === 200 ? objectsIn(answer.data.columns).map(({ name }) => name) : outcome(answer)
    }
    expect(await names([], 2)).toEqual(['Petrova', 'anna@example.com'])
    expect(await names(['crm_contacts_read'], 2)).toBe('403 insufficient_scope')
    expect(await names(['crm_contacts_read'], 1)).toEqual(['Name', 'Mail'])
    const poor = await organization.token(['crm_import_manage'])
    const { error } = await poor.post(`/imports/${id}/preview`, { headerRow: 100 })
    expect(error.details).toEqual({ requiredScopes: ['crm_contacts_read'], missingScopes: ['crm_contacts_read'] })
  })

  const reach = ['phone1', 'phone2', 'phone3', 'email1', 'email2', 'email3']
  const address = ['country', 'region', 'city', 'postalCode', 'line1', 'line2', 'label'].map(part => `address.${part}`)
  const common = ['description', 'source', 'ownerUuid', ...reach, ...address]
  it.each([
    [
      'contacts',
      [
        'uuid',
        'externalId',
        'firstName',
        'middleName',
        'lastName',
        'jobTitle',
        ...common,
        'birthDate',
        'tags',
        'fullName',
      ].concat(...['ownerEmail', 'companyExternalId', 'companyName']),
      [],
    ],
    [
      'companies',
      ['uuid', 'externalId', 'name', 'legalName', 'taxId', 'registrationNumber', 'industry', 'employeesCount'].concat(
        ...['website1', 'website2', 'website3', ...common, 'tags'],
      ),
      ['name'],
    ],
    [
      'company_contacts',
      ['companyUuid', 'companyExternalId', 'contactUuid', 'contactExternalId', 'role', 'isPrimary'],
      [],
    ],
    ['deal_contacts', ['dealUuid', 'dealExternalId', 'contactUuid', 'contactExternalId', 'isPrimary'], []],
    ['deal_companies', ['dealUuid', 'companyUuid', 'isPrimary'], ['dealUuid', 'companyUuid']],
  ])('rows of %s have their fields, of which some are required', async (entityType, keys, required) => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, 'a\n1\n', { entityType }), 201)
    const { data } = await client.post(`/imports/${id}/preview`, {})
    const fields = objectsIn(data.fields)
    expect(fields.map(({ key }) => key)).toEqual(keys)
    expect(fields.filter(field => field.required).map(({ key }) => key)).toEqual(required)
    const guards = new Map(fields.map(({ key, guard }) => [key, guard]))
    const reached = entityType === 'contacts' || entityType === 'companies' ? 'crm_contact_data_write' : undefined
    expect([guards.get('phone2'), guards.get('address.city')]).toEqual([reached, reached])
  })

  it('a preview shows the choices of a field, and its guard', async () => {
    const organization = await given.organization()
    const options = JSON.stringify([{ key: 'gold', label: 'Gold', position: 0, archived: false }])
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
       values ($1, 'contact', 'level', 'Kundenstufe', 'select', $2, false, 0, now())`,
      [organization.id, options],
    )
    const { client } = organization
    const { id } = expectStatus(await upload(client, 'KUNDENSTUFE\ngold\n'), 201)
    const { data } = await client.post(`/imports/${id}/preview`, {})
    expect(objectsIn(data.columns)).toMatchObject([{ suggestedField: 'custom.level' }])
    expect(objectsIn(data.fields).find(({ key }) => key === 'custom.level')).toEqual({
      key: 'custom.level',
      label: 'Kundenstufe',
      type: 'choice',
      required: false,
      options: [{ key: 'gold', label: 'Gold' }],
      guard: 'crm_custom_fields_manage',
    })
    const { data: other } = await client.post(`/imports/${id}/preview`, { delimiter: '|' })
    expect([other.delimiter, (await client.get(`/imports/${id}`)).data.status]).toEqual(['|', 'ready'])
  })

  it.each<[string, string | Buffer, number]>([
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), 422],
    ['nothing', '', 422],
    ['a table', 'a\n1\n', 201],
  ])('%s is taken by its content alone', async (_name, content, status) => {
    const { client } = await given.organization()
    expect((await upload(client, content, { fileName: 'x.xlsx' })).status).toBe(status)
  })

  it('a type is known, and that of other products is refused', async () => {
    const { client } = await given.organization()
    const uploaded = async (entityType: string) => outcome(await upload(client, 'a\n1\n', { entityType }))
    expect(await uploaded('deals')).toBe('400 validation_error')
    expect(await uploaded('tasks')).toBe('400 validation_error')
    expect(await uploaded('provider_bundle')).toBe('422 validation_error')
  })

  it('a file is not too large', async () => {
    const { client } = await given.organization()
    const { status, details } = await upload(client, Buffer.alloc(25 * 1024 * 1024 + 1, 'a'))
    expect([status, details.limitBytes]).toEqual([413, 26_214_400])
  })

  it('a mapping is checked: wrong and missing fields are 400, columns are 422', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = expectStatus(await upload(client, 'First,Last,Last\nAnna,P,Q\n'), 201)
    const start = async (mapping: JsonObject, more: JsonObject = {}, asked = client) => {
      const answer = await asked.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_only', ...more })
      return [outcome(answer), ...issuePaths(answer)]
    }
    expect(await start({ firstName: 0, colour: 1 })).toEqual(['400 validation_error', '/mapping/colour'])
    const [named, named2] = ['{"firstName":0,"__proto__":1}', '{"__proto__":"x"}'].map(text => JSON.parse(text))
    expect(await start(named)).toEqual(['400 validation_error', '/mapping/__proto__'])
    expect(await start({ firstName: 0 }, { defaults: named2 })).toEqual(['400 validation_error', '/defaults/__proto__'])
    expect(await start({ jobTitle: 0 })).toEqual(['400 validation_error', '/mapping'])
    const empty = await client.post(`/imports/${id}/start`, { mapping: {}, dedupPolicy: 'create_only' })
    expect([outcome(empty), empty.error.message]).toEqual([
      '400 validation_error',
      expect.stringContaining('name the column of each field'),
    ])
    expect(await start({ firstName: 'Nope', lastName: 9 })).toEqual([
      '422 validation_error',
      '/mapping/firstName',
      '/mapping/lastName',
    ])
    expect(await start({ lastName: 'Last' })).toEqual(['422 validation_error', '/mapping/lastName'])
    expect(await start({ firstName: 0 }, { dedupPolicy: { strategy: 'create_only', matchBy: ['taxId'] } })).toEqual([
      '400 validation_error',
      '/dedupPolicy/matchBy',
    ])
    const poor = await organization.token(['crm_import_manage'])
    expect(await start({ firstName: 0, phone1: 1 }, {}, poor)).toEqual(['403 insufficient_scope'])
    const defaults = { jobTitle: 'x', employees: 'y', 'address.line1': 'z' }
    expect(await start({ firstName: 0 }, { defaults })).toEqual(['400 validation_error', '/defaults/employees'])
    const wrong = { ownerUuid: 'Olga', birthDate: 'soon', email1: 'x', phone1: '7.9E+10', 'address.country': 'ru' }
    expect(await start({ firstName: 0 }, { defaults: wrong })).toEqual([
      ...['422 validation_error', '/defaults/ownerUuid', '/defaults/birthDate', '/defaults/phone1'],
    ])
    expect(await start({ firstName: 0 }, { dedupPolicy: undefined })).toEqual(['400 validation_error', '/dedupPolicy'])
    expect(await start({ firstName: 0 }, { dedupPolicy: 'merge' })).toEqual([
      ...['400 validation_error', '/dedupPolicy', '/dedupPolicy'],
    ])
    expect(await start({ jobTitle: 0 }, { defaults: { lastName: 'Unknown' } }, poor)).toEqual(['202'])
    expect(await start({ firstName: 'First' })).toEqual(['422 validation_error', ''])
    const late = await client.post(`/imports/${id}/preview`, {})
    expect([outcome(late), late.details.status]).toEqual(['422 validation_error', 'queued'])
  })

  it('an import is one of the organization, whichever application has uploaded it', async () => {
    const organization = await given.organization()
    const { id } = expectStatus(await upload(organization.client, 'First\nAnna\n'), 201)
    const { client } = await organization.application()
    expect((await client.get('/imports')).items).toMatchObject([{ id, applicationId: organization.applicationId }])
    expect((await client.post(`/imports/${id}/preview`, {})).data).toMatchObject({ rowCount: 1 })
    const start = { mapping: { firstName: 0 }, dedupPolicy: 'create_only' }
    expectStatus(await client.post(`/imports/${id}/start`, start), 202)
    expect((await client.post(`/imports/${id}/cancel`)).data.status).toBe('canceled')
  })

  it('an upload waits for others to end, where an organization has started as many imports as it may have', async () => {
    const { client } = await given.organization()
    setBound(bounds.organizationImports, 1)
    const { id } = expectStatus(await upload(client, 'First\nAnna\n'), 201)
    const start = { mapping: { firstName: 0 }, dedupPolicy: 'create_only' }
    expectStatus(await client.post(`/imports/${id}/start`, start), 202)
    const refused = await upload(client, 'First\nAnna\n')
    expect([outcome(refused), refused.headers.get('retry-after')]).toEqual([
      '503 service_unavailable',
      expect.any(String),
    ])
    await runJobs(given.api)
    expectStatus(await upload(client, 'First\nAnna\n'), 201)
  })

  it('an import shows the options of its start, and the usual ones before', async () => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, 'First\nAnna\n'), 201)
    const shown = async () => (await client.get(`/imports/${id}`)).data
    const usual = { dateFormat: 'auto', decimalMark: 'auto' }
    const refusing = { missingCompany: 'refuse', missingTag: 'refuse', onInvalidCell: 'refuse_row' }
    expect(await shown()).toMatchObject({ ...usual, ...refusing })
    const options = {
      ...{ dateFormat: 'DMY', decimalMark: ',' },
      ...{ missingCompany: 'create', missingTag: 'leave_out', onInvalidCell: 'leave_out' },
    }
    const body = { mapping: { firstName: 0 }, dedupPolicy: 'create_only' }
    const start = (more: JsonObject) => client.post(`/imports/${id}/start`, { ...body, ...more })
    for (const option of Object.keys(options))
      expect([outcome(await start({ [option]: 'whatever' })), option]).toEqual(['400 validation_error', option])
    expect((await start(options)).data).toMatchObject(options)
    expect(await shown()).toMatchObject(options)
  })

  it('an import is canceled with an empty object as well, and one that is unknown is 404 whatever is sent', async () => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, 'First\nAnna\n'), 201)
    const cancel = async (of: unknown, body: unknown) => {
      const answer = await client.post(`/imports/${of}/cancel`, body)
      return [outcome(answer), ...issuePaths(answer)]
    }
    for (const body of [undefined, {}, { reason: 'late' }, []])
      expect(await cancel(newId(), body)).toEqual(['404 not_found'])
    expect(await cancel(id, { reason: 'late' })).toEqual(['400 validation_error', '/reason'])
    expect(await cancel(id, [])).toEqual(['400 validation_error', ''])
    expect((await client.get(`/imports/${id}`)).data.status).toBe('uploaded')
    expect(await cancel(id, {})).toEqual(['200'])
    expect((await client.get(`/imports/${id}`)).data.status).toBe('canceled')
  })

  it('an import is canceled, once or twice, unless it is over', async () => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, 'First\nAnna\n'), 201)
    const canceled = await client.post(`/imports/${id}/cancel`)
    expect([canceled.status, canceled.data.status]).toEqual([200, 'canceled'])
    expect((await client.post(`/imports/${id}/cancel`)).data).toEqual(canceled.data)
    const late = await client.post(`/imports/${id}/start`, { mapping: { firstName: 0 }, dedupPolicy: 'create_only' })
    expect([outcome(late), late.details.status]).toEqual(['422 validation_error', 'canceled'])
    const done = await importFile(given.api, client, 'First\nAnna\n', { mapping: { firstName: 0 } })
    const over = await client.post(`/imports/${done.id}/cancel`)
    expect([outcome(over), over.details.status]).toEqual(['422 validation_error', 'completed'])
  })
})

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { resources } from '../../server/src/modules.ts'
import { useApi } from './support/given.ts'
import {
  aBody,
  aRecord,
  inCharge,
  issuePaths,
  type Kind,
  kinds,
  outcome,
  plurals,
  unknownId,
} from './support/requests.ts'

const given = useApi()

interface TextField {
  readonly kind: Kind
  readonly name: string
  readonly max: number
  readonly required?: true
  /** Free text keeps its outer white space. */
  readonly free?: true
  /** Only letters and digits. */
  readonly plain?: true
}

/** Contract sections 6.1 to 6.4. */
const texts: readonly TextField[] = [
  { kind: 'contact', name: 'firstName', max: 100 },
  { kind: 'contact', name: 'middleName', max: 100 },
  { kind: 'contact', name: 'lastName', max: 100 },
  { kind: 'contact', name: 'jobTitle', max: 200 },
  { kind: 'contact', name: 'description', max: 10_000, free: true },
  { kind: 'contact', name: 'source', max: 100 },
  { kind: 'company', name: 'name', max: 300, required: true },
  { kind: 'company', name: 'legalName', max: 300 },
  { kind: 'company', name: 'taxId', max: 32, plain: true },
  { kind: 'company', name: 'registrationNumber', max: 32 },
  { kind: 'company', name: 'industry', max: 100 },
  { kind: 'company', name: 'description', max: 10_000, free: true },
  { kind: 'company', name: 'source', max: 100 },
  { kind: 'deal', name: 'title', max: 500, required: true },
  { kind: 'deal', name: 'description', max: 10_000, free: true },
  { kind: 'task', name: 'title', max: 500, required: true },
  { kind: 'task', name: 'description', max: 10_000, free: true },
]

interface ValueField {
  readonly kind: Kind
  readonly name: string
  readonly required?: false
  readonly takes: readonly unknown[]
  readonly refuses: readonly unknown[]
}

const values: readonly ValueField[] = [
  {
    kind: 'company',
    name: 'employeesCount',
    takes: [0, 1, 10_000_000, null],
    refuses: [-1, 10_000_001, 1.5, '5', true, []],
  },
  {
    kind: 'deal',
    name: 'priority',
    takes: ['low', 'medium', 'high', 'urgent', null],
    refuses: ['', 'LOW', 'critical', 1, true],
  },
  {
    kind: 'deal',
    name: 'expectedCloseDate',
    takes: ['2024-02-29', '0001-01-01', '9999-12-31', null],
    refuses: ['2023-02-29', '2026-1-1', '26-01-01', '2026-01-01T00:00:00Z', '0000-01-01', '2026-13-01', '', 20260101],
  },
  {
    kind: 'task',
    name: 'type',
    takes: ['todo', 'call', 'email', 'meeting', 'other'],
    refuses: [null, '', 'CALL', 'letter', 1, true],
  },
  {
    kind: 'task',
    name: 'status',
    takes: ['todo', 'in_progress', 'done', 'canceled'],
    refuses: [null, '', 'Done', 'open', 1, true],
  },
  {
    kind: 'task',
    name: 'priority',
    takes: ['low', 'medium', 'high', 'urgent'],
    refuses: [null, '', 'LOW', 'critical', 1, true],
  },
  {
    kind: 'task',
    name: 'startAt',
    takes: ['2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', null],
    refuses: ['2026-01-01', '2023-02-29T00:00:00Z', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z', '', 1767225600000],
  },
  {
    kind: 'task',
    name: 'dueDate',
    takes: ['2024-02-29', '0001-01-01', '9999-12-31', '2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00.000Z', null],
    refuses: [
      ...['2023-02-29', '2026-1-1', '0000-01-01', '2026-13-01', '2026-01', '', 20260101, true],
      ...['2026-01-01T00:00:00', '2026-01-01T25:00:00Z', '2023-02-29T00:00:00Z', '2026-01-01 00:00:00Z', 'tomorrow'],
    ],
  },
]

const urls: ValueField = {
  kind: 'company',
  name: 'websites',
  takes: [
    [],
    ['https://example.com'],
    ['HTTP://EXAMPLE.com/Path?q=1#x', 'http://münchen.de', 'https://[2001:db8::1]:8443/'],
    Array.from({ length: 10 }, (_, index) => `https://example.com/${index}`),
    [`https://example.com/${'x'.repeat(2048 - 20)}`],
  ],
  refuses: [
    null,
    'https://example.com',
    ['example.com'],
    ['ftp://example.com'],
    ['javascript:alert(1)'],
    ['//example.com'],
    ['https://'],
    ['https://exa mple.com'],
    ['https://exam\tple.com'],
    ['https://example.com/a\nb'],
    [1],
    [''],
    Array.from({ length: 11 }, (_, index) => `https://example.com/${index}`),
    [`https://example.com/${'x'.repeat(2048 - 19)}`],
  ],
}

/** Fields whose rules have tests of their own. */
const elsewhere: Readonly<Record<Kind, readonly string[]>> = {
  contact: ['ownerUuid', 'contactData', 'customFields'],
  company: ['ownerUuid', 'contactData', 'customFields'],
  deal: [
    ...['ownerUuid', 'customFields', 'amount', 'currency', 'companies', 'contacts'],
    ...['pipelineId', 'stageUuid', 'lostReasonCategoryUuid', 'lostReasonComment'],
  ],
  task: ['assigneeUuid', 'customFields', 'deal', 'contact', 'company'],
}

const titled = <F extends { kind: Kind; name: string }>(fields: readonly F[]) =>
  fields.map(field => [field.name, field.kind, field] as const)

async function create(kind: Kind, name: string, value: unknown) {
  const organization = await given.shared()
  return organization.client.post(`/${plurals[kind]}`, await aBody(kind, organization, { [name]: value }))
}

const patched = new Map<Kind, JsonObject>()

/** Changes the one record of the kind that is kept for this. */
async function patch(kind: Kind, name: string, value: unknown) {
  const organization = await given.shared()
  const record = patched.get(kind) ?? (await aRecord(kind, organization))
  const body = { expectedVersion: record.version, [name]: value }
  const answer = await organization.client.patch(`/${plurals[kind]}/${record.id}`, body)
  patched.set(kind, answer.status === 200 ? answer.data : record)
  return answer
}

describe.each(titled(texts))('%s of a %s', (name, kind, { max, required, free, plain }) => {
  it(`takes ${max} code points and refuses one more`, async () => {
    const character = plain ? '7' : '𝒳'
    for (const write of [create, patch]) {
      const taken = await write(kind, name, character.repeat(max))
      expect(taken.data[name]).toBe(character.repeat(max))
      const refused = await write(kind, name, character.repeat(max + 1))
      expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', [`/${name}`]])
    }
  })

  it(free ? 'keeps its outer white space' : 'loses its outer white space', async () => {
    const text = plain ? '\t 77 \n' : '\t a  b \n'
    expect((await create(kind, name, text)).data[name]).toBe(free ? text : text.trim())
  })

  it(required ? 'refuses null and what nobody can see' : 'is null for null and for what nobody can see', async () => {
    for (const empty of [null, '', ' \t\n ', '\u200b\u3164']) {
      for (const write of [create, patch]) {
        const answer = await write(kind, name, empty)
        if (required) expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${name}`]])
        else expect(answer.data[name]).toBeNull()
      }
    }
  })

  it('refuses values that are no text', async () => {
    for (const wrong of [7, true, ['a'], { a: 1 }]) {
      const answer = await create(kind, name, wrong)
      expect([outcome(answer), new Set(issuePaths(answer))]).toEqual(['400 validation_error', new Set([`/${name}`])])
    }
  })
})

describe.each(titled(texts.filter(({ plain }) => !plain)))('%s of a %s', (name, kind) => {
  it('is stored in normal form C', async () => {
    expect((await create(kind, name, 'Zoe\u0308 A\u030a')).data[name]).toBe('Zo\u00eb \u00c5')
  })

  it('keeps right-to-left text, emoji and quotes as they are', async () => {
    const text = `שלום 👩‍👧 O'B "x" \\ <b>&amp;`
    expect((await create(kind, name, text)).data[name]).toBe(text)
  })
})

describe('taxId of a company', () => {
  it.each(['12 34', '12/34', 'ß', '12_34'])('refuses %j', async text => {
    expect(issuePaths(await create('company', 'taxId', text))).toEqual(['/taxId'])
  })

  it('need not be unique', async () => {
    const statuses = [await create('company', 'taxId', 'DE-1'), await create('company', 'taxId', 'DE-1')]
    expect(statuses.map(({ status }) => status)).toEqual([201, 201])
  })
})

describe.each(titled([...values, urls]))('%s of a %s', (name, kind, { takes, refuses }) => {
  it('takes its documented values', async () => {
    for (const value of takes)
      for (const write of [create, patch]) expect((await write(kind, name, value)).data[name]).toEqual(value)
  })

  it('refuses everything else', async () => {
    for (const value of refuses) {
      for (const write of [create, patch]) {
        const answer = await write(kind, name, value)
        expect([value, outcome(answer)]).toEqual([value, '400 validation_error'])
        for (const path of issuePaths(answer)) expect(path).toMatch(new RegExp(`^/${name}(/|$)`, 'u'))
      }
    }
  })
})

describe('websites of a company', () => {
  it('refuses one address twice, also when it is only written differently: 422', async () => {
    const answer = await create('company', 'websites', ['https://example.com', 'HTTPS://Example.com/'])
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/websites/1']])
  })
})

describe.each(kinds.map(kind => [inCharge[kind], kind] as const))('%s of a %s', (member, kind) => {
  it('takes an active operator, also in capitals, and null', async () => {
    const { operator } = await given.shared()
    for (const uuid of [operator, operator.toUpperCase()]) {
      expect((await create(kind, member, uuid)).data[member]).toBe(operator)
    }
    expect((await patch(kind, member, null)).data[member]).toBeNull()
  })

  it('refuses an inactive and an unknown operator: 422', async () => {
    const { inactiveOperator } = await given.shared()
    for (const uuid of [inactiveOperator, unknownId]) {
      for (const write of [create, patch]) {
        const answer = await write(kind, member, uuid)
        expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [`/${member}`]])
      }
    }
  })

  it('refuses a value that is no UUID: 400', async () => {
    for (const wrong of ['olga', '', 7]) expect(outcome(await create(kind, member, wrong))).toBe('400 validation_error')
  })

  it('may stay when its operator became inactive, and be sent again', async () => {
    const organization = await given.organization()
    const { client, operator } = organization
    const { id } = await aRecord(kind, organization, { [member]: operator })
    await given.configure(organization, 'update operators set active = false where id = $1', [operator])
    const body = { expectedVersion: 1, [member]: operator, description: 'still hers' }
    expect((await client.patch(`/${plurals[kind]}/${id}`, body)).data).toMatchObject({
      [member]: operator,
      version: 2,
    })
  })
})

describe.each(kinds)('a request for a %s', kind => {
  const common = ['id', 'version', 'createdAt', 'updatedAt', 'createdByApplicationId', 'createdByUuid', 'updatedByUuid']
  const own: Readonly<Record<Kind, readonly string[]>> = {
    contact: ['displayName', 'tagIds', 'anonymizedAt', 'companyIds', 'birthDate'],
    company: ['tagIds', 'contacts', 'displayName'],
    deal: [
      ...['kind', 'status', 'rank', 'itemsTotal', 'stageChangedAt', 'closedAt', 'tagIds', 'stageSpan'],
      ...['companyIds', 'contactIds', 'companyId', 'itemsCount', 'activitiesCount', 'filesCount'],
    ],
    task: [
      ...['completedAt', 'isOverdue', 'dealId', 'contactId', 'companyId', 'ownerUuid', 'filesCount', 'tagIds'],
      ...['checklistProgress', 'checklistItemsTotal', 'checklistItemsDone', 'checklists'],
    ],
  }

  it('may not set computed members: each is named', async () => {
    const organization = await given.shared()
    const { client } = organization
    const members = Object.fromEntries([...common, ...own[kind]].map(name => [name, null]))
    const { id } = await aRecord(kind, organization)
    const body = await aBody(kind, organization, members)
    const answers = [
      await client.post(`/${plurals[kind]}`, body),
      await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, ...members }),
      await client.post(`/${plurals[kind]}/upsert`, body),
    ]
    for (const answer of answers) {
      expect(outcome(answer)).toBe('400 validation_error')
      expect(issuePaths(answer).toSorted()).toEqual(
        Object.keys(members)
          .map(name => `/${name}`)
          .toSorted(),
      )
    }
  })

  it('may not name an expected version on create', async () => {
    const answer = await create(kind, 'expectedVersion', 1)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/expectedVersion']])
  })

  it('reports every wrong field, not only the first', async () => {
    const organization = await given.shared()
    const body = await aBody(kind, organization, {
      externalId: ' a',
      description: 7,
      [inCharge[kind]]: 'x',
      colour: 1,
    })
    const answer = await organization.client.post(`/${plurals[kind]}`, body)
    expect(issuePaths(answer).toSorted()).toEqual(
      ['/colour', '/description', '/externalId', `/${inCharge[kind]}`].toSorted(),
    )
  })

  it('may set every field that is declared, and these tests know each', () => {
    const resource = resources.find(candidate => candidate.kind === kind)
    const declared = Object.entries(resource?.fields ?? {}).flatMap(([name, { input }]) => (input ? [name] : []))
    const known = [...texts, ...values, urls].filter(field => field.kind === kind).map(({ name }) => name)
    expect([...known, ...elsewhere[kind]].toSorted()).toEqual(declared.toSorted())
  })
})

describe('required fields', () => {
  it.each([
    ['company', 'name'],
    ['deal', 'title'],
    ['task', 'title'],
  ] as const)('a %s without %s is refused: 400 on create, 422 on an upsert of a new key', async (kind, name) => {
    const organization = await given.shared()
    const { [name]: _, ...body } = await aBody(kind, organization)
    const created = await organization.client.post(`/${plurals[kind]}`, body)
    expect([outcome(created), issuePaths(created)]).toEqual(['400 validation_error', [`/${name}`]])
    const upserted = await organization.client.post(`/${plurals[kind]}/upsert`, body)
    expect([outcome(upserted), issuePaths(upserted)]).toEqual(['422 validation_error', [`/${name}`]])
  })

  const unnamed = {
    firstName: null,
    lastName: ' ',
    contactData: { phones: [], messengers: [{ type: 'viber', value: 'a' }] },
  }

  it('a contact without name, phone and e-mail is refused: 400 on create, 422 on upsert', async () => {
    const organization = await given.shared()
    const body = await aBody('contact', organization, { ...unnamed, middleName: 'Maria', jobTitle: 'Buyer' })
    expect(outcome(await organization.client.post('/contacts', body))).toBe('400 validation_error')
    expect(outcome(await organization.client.post('/contacts/upsert', body))).toBe('422 validation_error')
  })

  it.each([
    { firstName: 'Anna' },
    { lastName: 'Petrova' },
    { contactData: { phones: [{ value: '+12025550143' }] } },
    { contactData: { emails: [{ value: 'anna@example.com' }] } },
  ])('a contact needs no more than %j', async members => {
    const organization = await given.shared()
    expect((await organization.client.post('/contacts', members)).status).toBe(201)
  })

  it('a PATCH that would leave a contact without name, phone and e-mail is refused: 422', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('contact', organization, { contactData: { phones: [{ value: '+12025550143' }] } })
    const path = `/contacts/${id}`
    const withoutNames = { expectedVersion: 1, firstName: null, lastName: null }
    const answer = await client.patch(path, { ...withoutNames, contactData: { phones: [] } })
    expect(outcome(answer)).toBe('422 validation_error')
    expect((await client.patch(path, withoutNames)).status).toBe(200)
    const emptied = await client.patch(path, { expectedVersion: 2, contactData: { phones: [] } })
    expect(outcome(emptied)).toBe('422 validation_error')
  })
})

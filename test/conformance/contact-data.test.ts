import { describe, expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, outcome, plurals } from './support/requests.ts'

const given = useApi()
const kinds = ['contact', 'company'] as const

const empty = { phones: [], emails: [], addresses: [], messengers: [] }

describe.each(kinds)('contactData of a %s', kind => {
  const path = `/${plurals[kind]}`
  const whole = kind === 'contact' ? { ...empty, birthDate: null } : empty

  async function create(contactData: unknown) {
    const organization = await given.shared()
    return organization.client.post(path, await aBody(kind, organization, { contactData }))
  }

  async function stored(contactData: unknown) {
    const { status, data } = await create(contactData)
    expect(status).toBe(201)
    return objectOf(data.contactData)
  }

  async function expectMalformed(contactData: unknown, at: string) {
    const answer = await create(contactData)
    expect(outcome(answer)).toBe('400 validation_error')
    for (const issue of issuePaths(answer)) expect(String(issue).startsWith(`/contactData${at}`)).toBe(true)
  }

  const many = (count: number, item: (index: number) => unknown) => Array.from({ length: count }, (_, i) => item(i))

  it('has every list, empty, where nothing is given', async () => {
    expect(await stored({})).toEqual(whole)
  })

  it('completes phones: e164 by the country of the organization, label, and the first as primary', async () => {
    const phones = [
      { value: '(202) 555-0143' },
      { value: ' +49 30 901820 ', label: 'work' },
      { value: 'ext. 12', label: 'other' },
    ]
    expect((await stored({ phones })).phones).toEqual([
      { value: '(202) 555-0143', e164: '+12025550143', label: 'mobile', isPrimary: true },
      { value: '+49 30 901820', e164: '+4930901820', label: 'work', isPrimary: false },
      { value: 'ext. 12', e164: null, label: 'other', isPrimary: false },
    ])
  })

  it.each([['+4930901820'], [null], [4930901820], [{ a: [1] }]])(
    'computes e164 itself, whatever %j a request says',
    async e164 => {
      const organization = await given.shared()
      const { id } = await aRecord(kind, organization, { contactData: { phones: [{ value: '(202) 555-0143', e164 }] } })
      const { data } = await organization.client.get(`${path}/${id}`)
      expect(data.contactData).toMatchObject({ phones: [{ e164: '+12025550143' }] })
      const own = { value: '+49 30 901820', e164 }
      const body = { expectedVersion: 1, contactData: { phones: [own] } }
      const patched = await organization.client.patch(`${path}/${id}`, body)
      expect(patched.data.contactData).toMatchObject({ phones: [{ e164: '+4930901820' }] })
    },
  )

  it('sent back as it was read changes nothing', async () => {
    const organization = await given.shared()
    const contactData = {
      phones: [{ value: '(202) 555-0143' }, { value: 'ext. 12', label: 'other', isPrimary: true }],
      emails: [{ value: 'Anna@Example.com' }, { value: 'b@example.com' }],
      addresses: [{ city: 'Boston', country: 'US' }],
      messengers: [{ type: 'telegram', value: 'anna' }],
      ...(kind === 'contact' ? { birthDate: '1990-02-03' } : {}),
    }
    const record = await aRecord(kind, organization, { contactData })
    const { id, externalId } = record
    const same = { expectedVersion: 1, contactData: record.contactData }
    expect((await organization.client.patch(`${path}/${id}`, same)).data).toEqual(record)
    expect((await organization.client.post(`${path}/upsert`, { externalId, ...same })).data).toEqual(record)
  })

  it('completes e-mails and keeps them as they are typed', async () => {
    const emails = [{ value: 'Anna.P+x@Example.COM' }, { value: 'b@example.com', label: 'personal', isPrimary: true }]
    expect((await stored({ emails })).emails).toEqual([
      { value: 'Anna.P+x@Example.COM', label: 'work', isPrimary: false },
      { value: 'b@example.com', label: 'personal', isPrimary: true },
    ])
  })

  it('takes e-mails of any script, quoted ones and hosts of one word, as they are typed', async () => {
    const values = ['Анна@Почта.рф', 'josé@münchen.example', '"anna petrova"@Example.com', 'root@localhost']
    const emails = values.map(value => ({ value }))
    expect((await stored({ emails })).emails).toMatchObject(emails)
  })

  it('completes addresses with null', async () => {
    const addresses = [
      { city: 'Boston', country: 'US' },
      { line1: '1 Main Street', postalCode: '02110', label: '' },
    ]
    const none = { label: null, country: null, region: null, city: null, postalCode: null, line1: null, line2: null }
    expect((await stored({ addresses })).addresses).toEqual([
      { ...none, city: 'Boston', country: 'US', isPrimary: true },
      { ...none, line1: '1 Main Street', postalCode: '02110', isPrimary: false },
    ])
  })

  it('keeps messengers in order, without a primary one', async () => {
    const messengers = [
      { type: 'telegram', value: 'anna' },
      { type: 'whatsapp', value: '+12025550143' },
    ]
    expect((await stored({ messengers })).messengers).toEqual(messengers)
  })

  it.each([
    ['phones', 20, (index: number) => ({ value: `+1202555${String(1000 + index)}` })],
    ['emails', 20, (index: number) => ({ value: `e${index}@example.com` })],
    ['addresses', 10, (index: number) => ({ line1: `${index} Main Street` })],
    ['messengers', 20, (index: number) => ({ type: 'viber', value: `v${index}` })],
  ])('takes %s up to %i and refuses one more', async (name, most, item) => {
    expect((await stored({ [name]: many(most, item) }))[name]).toHaveLength(most)
    await expectMalformed({ [name]: many(most + 1, item) }, `/${name}`)
  })

  it.each([
    ['phones', 'value', { value: '7'.repeat(40) }, { value: '7'.repeat(41) }],
    ['phones', 'value', { value: '123' }, { value: ' 12 ' }],
    [
      'emails',
      'value',
      { value: `${'я'.repeat(32)}@${'b'.repeat(60)}.example.com` },
      { value: `${'я'.repeat(33)}@example.com` },
    ],
    [
      'emails',
      'value',
      { value: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}` },
      { value: `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(60)}.com` },
    ],
    ['addresses', 'label', { label: '𝒳'.repeat(200) }, { label: '𝒳'.repeat(201) }],
    ['addresses', 'region', { region: '𝒳'.repeat(200) }, { region: '𝒳'.repeat(201) }],
    ['addresses', 'city', { city: '𝒳'.repeat(200) }, { city: '𝒳'.repeat(201) }],
    ['addresses', 'postalCode', { postalCode: '𝒳'.repeat(32) }, { postalCode: '𝒳'.repeat(33) }],
    ['addresses', 'line1', { line1: '𝒳'.repeat(200) }, { line1: '𝒳'.repeat(201) }],
    ['addresses', 'line2', { line2: '𝒳'.repeat(200) }, { line2: '𝒳'.repeat(201) }],
    ['messengers', 'value', { type: 'viber', value: '𝒳'.repeat(200) }, { type: 'viber', value: '𝒳'.repeat(201) }],
  ])('limits the length in %s of %s', async (name, member, within, beyond) => {
    expect((await stored({ [name]: [within] }))[name]).toMatchObject([within])
    await expectMalformed({ [name]: [beyond] }, `/${name}/0/${member}`)
  })

  it.each([
    ['phones', [{}]],
    ['phones', [{ value: null }]],
    ['phones', [{ value: 12025550143 }]],
    ['phones', [{ value: '+12025550143', label: 'pager' }]],
    ['phones', [{ value: '+12025550143', isPrimary: 'yes' }]],
    ['phones', ['+12025550143']],
    ['phones', { value: '+12025550143' }],
    ['phones', null],
    ['emails', [{ value: 'anna' }]],
    ['emails', [{ value: 'anna@' }]],
    ['emails', [{ value: '@example.com' }]],
    ['emails', [{ value: 'a b@example.com' }]],
    ['emails', [{ value: 'anna@example.com', label: 'mobile' }]],
    ['addresses', [{}]],
    ['addresses', [{ city: null, line1: '' }]],
    ['addresses', [{ isPrimary: true }]],
    ['addresses', [{ city: 'Boston', country: 'us' }]],
    ['addresses', [{ city: 'Boston', country: 'USA' }]],
    ['addresses', [{ city: 'Boston', country: 'XX' }]],
    ['addresses', [{ city: 'Boston', street: 'x' }]],
    ['messengers', [{ value: 'anna' }]],
    ['messengers', [{ type: 'icq', value: 'anna' }]],
    ['messengers', [{ type: 'viber', value: ' ' }]],
    ['messengers', [{ type: 'viber', value: 'anna', isPrimary: true }]],
  ])('refuses %s: %j', async (name, value) => {
    await expectMalformed({ [name]: value }, `/${name}`)
  })

  it.each(['ZZ', 'EU', 'UN', 'XA', 'QO', 'EZ'])('refuses %s, which ISO 3166-1 gives to no country', async country => {
    await expectMalformed({ addresses: [{ city: 'Boston', country }] }, '/addresses/0/country')
  })

  it.each(['US', 'DE', 'KZ', 'AX'])('takes the country %s', async country => {
    expect((await stored({ addresses: [{ country }] })).addresses).toMatchObject([{ country }])
  })

  it.each([
    [
      'phones',
      [
        { value: '+12025550143', isPrimary: true },
        { value: '+12025550144', isPrimary: true },
      ],
    ],
    [
      'emails',
      [
        { value: 'a@example.com', isPrimary: true },
        { value: 'b@example.com', isPrimary: true },
      ],
    ],
    [
      'addresses',
      [
        { city: 'Boston', isPrimary: true },
        { city: 'Bern', isPrimary: true },
      ],
    ],
  ])('refuses two primary %s: 400', async (name, value) => {
    await expectMalformed({ [name]: value }, `/${name}`)
  })

  it.each([
    ['phones', [{ value: '+1 202 555 0143' }, { value: '(202) 555-0143', label: 'work' }]],
    ['phones', [{ value: 'ext 12345' }, { value: 'ext 12345' }]],
    ['emails', [{ value: 'anna@example.com' }, { value: 'ANNA@example.com' }]],
    ['emails', [{ value: 'анна@почта.рф' }, { value: 'Анна@Почта.РФ' }]],
    ['addresses', [{ city: 'Boston' }, { city: ' Boston ', region: null }]],
    [
      'messengers',
      [
        { type: 'viber', value: 'a' },
        { type: 'viber', value: 'a' },
      ],
    ],
  ])('refuses a value twice in %s, however it is written: 422', async (name, value) => {
    const answer = await create({ [name]: value })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [`/contactData/${name}/1`]])
  })

  it('keeps the texts in normal form C and without outer space', async () => {
    const { addresses } = await stored({ addresses: [{ city: ' Zu\u0308rich ' }] })
    expect(addresses).toMatchObject([{ city: 'Z\u00fcrich' }])
  })

  it('refuses values that are no object, and unknown members', async () => {
    for (const wrong of ['x', [], null]) await expectMalformed(wrong, '')
    await expectMalformed({ faxes: [] }, '/faxes')
  })
})

describe('birthDate', () => {
  const create = async (kind: 'contact' | 'company', birthDate: unknown) => {
    const organization = await given.shared()
    const body = await aBody(kind, organization, { contactData: { birthDate } })
    return organization.client.post(`/${plurals[kind]}`, body)
  }

  it('of a contact is a date or null', async () => {
    for (const birthDate of ['1990-02-03', '2000-02-29', null]) {
      expect(objectOf((await create('contact', birthDate)).data.contactData).birthDate).toBe(birthDate)
    }
    for (const wrong of ['1990-02-30', '1990', '3.2.1990', '', 1990]) {
      expect(issuePaths(await create('contact', wrong))).toEqual(['/contactData/birthDate'])
    }
  })

  it('is not known of a company', async () => {
    expect(issuePaths(await create('company', '1990-02-03'))).toEqual(['/contactData/birthDate'])
  })
})

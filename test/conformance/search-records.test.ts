import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, issuePaths, kinds, outcome, plurals } from './support/requests.ts'
import { idsOf, namedRecords, nameOf, search } from './support/searches.ts'

const given = useApi()

const named = namedRecords(given)

describe.each(kinds)('a %s', kind => {
  it('is found by whole words, beginnings and parts of words, in any order, however they are written', async () => {
    const organization = await given.organization()
    const id = await named(kind, organization, 'Königlich Северсталь Трёхгорная')
    for (const q of [
      'konig',
      'KÖNIGLICH',
      'северсталь königlich',
      'трехгорная',
      'ТРЁХ',
      'сталь',
      'glich горн',
      'се',
      'ли',
    ])
      expect([q, await idsOf(organization.client, q)]).toEqual([q, q === 'ли' ? [] : [id]])
  })

  it('is found at once, and no longer by its earlier name', async () => {
    const organization = await given.organization()
    const { client } = organization
    const id = await named(kind, organization, 'Zanzibar')
    expect(await idsOf(client, 'zanzibar')).toEqual([id])
    const body = { expectedVersion: 1, [nameOf[kind]]: 'Quixote' }
    expect((await client.patch(`/${plurals[kind]}/${id}`, body)).status).toBe(200)
    expect(await idsOf(client, 'zanzibar')).toEqual([])
    expect(await idsOf(client, 'quixote')).toEqual([id])
  })

  it('comes earlier the better it is matched, and then the later it was changed', async () => {
    const organization = await given.organization()
    const substring = await named(kind, organization, 'Overland')
    const similar = await named(kind, organization, 'Lnad')
    const older = await named(kind, organization, 'Landmark')
    const exact = await named(kind, organization, 'Land')
    const newer = await named(kind, organization, 'Landau')
    expect(await idsOf(organization.client, 'land')).toEqual([exact, newer, older, substring, similar])
    expect(await idsOf(organization.client, 'land', '&limit=4')).toEqual([exact, newer, older, substring])
    given.clock.advance(1000)
    await organization.client.patch(`/${plurals[kind]}/${older}`, { expectedVersion: 1, description: 'Changed' })
    expect(await idsOf(organization.client, 'LAND')).toEqual([exact, older, newer, substring, similar])
  })

  it('has words in quotes, with apostrophes and with dashes, of whatever kind', async () => {
    const organization = await given.organization()
    const { client } = organization
    const beginning = await named(kind, organization, 'Ромашкария')
    const quoted = await named(kind, organization, 'ООО «Ромашка»')
    expect(await idsOf(client, 'ромашка')).toEqual([quoted, beginning])
    expect(await idsOf(client, 'ооо "ромашка"')).toEqual([quoted])
    expect(await idsOf(client, 'рамашка')).toEqual([quoted])
    expect((await search(client, '“ромашка”')).items).toMatchObject([{ id: quoted, matchedFields: [nameOf[kind]] }])
    const dashed = await named(kind, organization, 'O’Brien–Schmidt')
    for (const q of ["o'brien", 'O’BRIEN', 'brien-schmidt', 'Schmidt'])
      expect([q, await idsOf(client, q)]).toEqual([q, [dashed]])
  })

  it('comes first where it has each word as a whole, also one that is part of another word', async () => {
    const organization = await given.organization()
    const asked = await named(kind, organization, 'Ivan Ivanov')
    const beginning = await named(kind, organization, 'Ivanov')
    const inside = await named(kind, organization, 'Vanoivan Ivanov')
    for (const q of ['ivan ivanov', 'Ivanov Ivan'])
      expect([q, await idsOf(organization.client, q, '&limit=3')]).toEqual([q, [asked, inside, beginning]])
  })

  it('is shown with its name, the matched field, and its key', async () => {
    const organization = await given.organization()
    const record = await aRecord(kind, organization, { [nameOf[kind]]: 'Sagittarius' })
    const { items, meta } = await search(organization.client, 'sagit')
    expect(meta).toEqual({ nextCursor: null, truncated: false })
    expect(items).toHaveLength(1)
    const title = kind === 'contact' ? 'Sagittarius Anna' : 'Sagittarius'
    expect(items[0]).toMatchObject({
      type: kind,
      id: record.id,
      externalId: record.externalId,
      title,
      updatedAt: record.updatedAt,
      matchedFields: [nameOf[kind]],
      snippet: null,
    })
  })
})

it('names where words stand that are written with other marks', async () => {
  const organization = await given.organization()
  const id = await named('company', organization, 'Sagittarius Holding')
  for (const q of ['(sagittarius', 'sagittarius-holding', 'sagittarius/hodling']) {
    const { items } = await search(organization.client, q)
    expect([q, items]).toMatchObject([q, [{ id, matchedFields: ['name'], snippet: null }]])
  }
})

it('a word begins behind every mark that names have', async () => {
  const organization = await given.organization()
  const begun = await named('company', organization, 'OOO "Romashka" (Brno)')
  const inside = await named('deal', organization, 'Aromashka Ebrno')
  const mixed = await named('task', organization, 'Romashka Hebron')
  expect(await idsOf(organization.client, 'romash', '&limit=3')).toEqual([mixed, begun, inside])
  expect(await idsOf(organization.client, 'romashka brn', '&limit=2')).toEqual([begun, inside])
  expect(await idsOf(organization.client, 'romashka bro', '&limit=1')).toEqual([mixed])
  expect(await idsOf(organization.client, '"romashka" (br', '&limit=1')).toEqual([begun])
  const contactData = { emails: [{ value: 'r.romash@example.com' }] }
  const reached = await aRecord('contact', organization, { lastName: 'Romash', contactData })
  given.clock.advance(1000)
  const other = await aRecord('contact', organization, { lastName: 'Aromash', contactData })
  expect(await idsOf(organization.client, '.romash', '&limit=2')).toEqual([other.id, reached.id])
})

it('gives everything once, page by page, whatever the rank and the kind', async () => {
  const organization = await given.organization()
  const ids = new Set<unknown>()
  for (const [index, name] of ['Kestrel', 'Kestrels', 'Okestrel', 'Kestrle', 'Kestrel two', 'Kesterl'].entries()) {
    const kind = kinds[index % kinds.length] ?? 'contact'
    ids.add(await named(kind, organization, name))
  }
  const whole = await idsOf(organization.client, 'kestrel')
  expect(new Set(whole)).toEqual(ids)
  for (const limit of [1, 2, 3, 4, 5]) {
    const found: unknown[] = []
    let cursor: unknown = ''
    while (cursor !== null) {
      const { items, meta } = await search(
        organization.client,
        'kestrel',
        `&limit=${limit}${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...items.map(({ id }) => id))
      expect(items.length).toBeLessThanOrEqual(limit)
      cursor = meta.nextCursor
    }
    // Similar ones are left out where all others fill the first page.
    expect([limit, found]).toEqual([limit, whole.slice(0, limit > 4 ? 6 : 4)])
  }
})

it('looks for two letters at the beginning of words first, and in the middle of them', async () => {
  const organization = await given.organization()
  const middle = await named('contact', organization, 'Kolya')
  const beginning = await named('company', organization, 'Olympia')
  const whole = await named('deal', organization, 'Ol Pejeta')
  expect(await idsOf(organization.client, 'ol')).toEqual([whole, beginning, middle])
  expect(await idsOf(organization.client, 'ol pe')).toEqual([whole])
  expect(await idsOf(organization.client, 'ol', '&limit=2')).toEqual([whole, beginning])
})

describe('contact data', () => {
  const contactData: JsonObject = {
    phones: [{ value: '+1 (202) 555-0143' }],
    emails: [{ value: 'Front.Desk@Example.com' }],
  }

  it.each([
    ...['front.desk@example.com', 'FRONT.DESK@EXAMPLE.COM', 'front.desk', 'example.com', 'larsen desk'],
    ...['+12025550143', '+1 202 555 0143', '1 (202) 555.0143', '555-0143', '2025550143'],
  ])('finds a contact and a company by %s, for a token that may read it', async q => {
    const organization = await given.organization()
    const company = await aRecord('company', organization, { name: 'Larsen', contactData })
    given.clock.advance(1000)
    const contact = await aRecord('contact', organization, { lastName: 'Larsen', contactData })
    await aRecord('contact', organization, { contactData: { phones: [{ value: '+1 303 555 9999' }] } })
    const { items } = await search(organization.client, q)
    expect(items.map(({ id }) => id)).toEqual([contact.id, company.id])
    expect(items[0]?.contactData).toEqual({
      phones: [expect.objectContaining({ value: '+1 (202) 555-0143', e164: '+12025550143' })],
      emails: [expect.objectContaining({ value: 'Front.Desk@Example.com' })],
    })
    const field = /@|desk|com/iu.test(q) ? 'contactData.emails' : 'contactData.phones'
    expect(items[0]?.matchedFields).toContain(field)
    expect(items[0]?.snippet).toBe(field === 'contactData.emails' ? 'Front.Desk@Example.com' : '+1 (202) 555-0143')
    const blind = await organization.token(allBut('crm_contact_data_read'))
    // Where the name is in question too, it is found by that alone.
    const seen = (await search(blind, q)).items
    expect(seen.map(({ matchedFields }) => matchedFields)).toEqual(q === 'larsen desk' ? [['lastName'], ['name']] : [])
  })

  it.each(['1-800-flowers', '1 800 FLOWERS', 'flowers'])('is found by a phone number with letters: %s', async q => {
    const organization = await given.organization()
    const phones = [{ value: '1-800-FLOWERS' }]
    const { id } = await aRecord('contact', organization, { contactData: { phones } })
    const { items } = await search(organization.client, q)
    expect(items).toMatchObject([{ id, matchedFields: ['contactData.phones'], snippet: '1-800-FLOWERS' }])
  })

  it('is neither shown nor named to a token that may not read it', async () => {
    const organization = await given.organization()
    await aRecord('contact', organization, { lastName: 'Front', contactData })
    const blind = await organization.token(allBut('crm_contact_data_read'))
    const { items, meta } = await search(blind, 'front')
    expect(items).toHaveLength(1)
    expect(items[0]).not.toHaveProperty('contactData')
    expect(items[0]?.matchedFields).toEqual(['lastName'])
    expect(meta.redacted).toEqual(['contact_data'])
  })

  it('finds records with the whole address before those with a part of it', async () => {
    const organization = await given.organization()
    const whole = await aRecord('contact', organization, { contactData: { emails: [{ value: 'anna@example.com' }] } })
    const part = await aRecord('contact', organization, { contactData: { emails: [{ value: 'joanna@example.com' }] } })
    expect(await idsOf(organization.client, 'anna@example.com')).toEqual([whole.id])
    expect(await idsOf(organization.client, 'oanna@example.com')).toEqual([part.id])
  })

  it('is found by a part of a number, also where a title has that as a whole', async () => {
    const organization = await given.organization()
    const contact = await aRecord('contact', organization, { contactData })
    const deal = await named('deal', organization, 'Order 5550143')
    expect(await idsOf(organization.client, '5550143')).toEqual([deal, contact.id])
    expect(await idsOf(organization.client, '555-0143')).toEqual([contact.id])
  })

  it('is found by a number beside a name, however the number is written', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization, { lastName: 'Larsen', contactData })
    for (const q of ['larsen +12025550143', '(202)555-0143 larsen', 'larsne +12025550143'])
      expect([q, await idsOf(organization.client, q)]).toEqual([q, [id]])
    // No record has both: deals have no numbers.
    const deal = await named('deal', organization, 'Tables')
    expect(await idsOf(organization.client, 'tabels +12025550143')).toEqual([deal, id])
    const blind = await organization.token(allBut('crm_contact_data_read'))
    expect((await search(blind, 'larsen +12025550143')).items).toMatchObject([{ id, matchedFields: ['lastName'] }])
    expect(await idsOf(blind, 'nobody +12025550143')).toEqual([])
  })
})

describe('custom fields', () => {
  it.each(kinds)('find a %s for a token that may read them, and for no other', async kind => {
    const organization = await given.organization()
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
       values ($1, '${kind}', 'region', 'Region', 'text', '[]', false, 0, now())`,
      [organization.id],
    )
    const { id } = await aRecord(kind, organization, { customFields: { region: 'Upper Palatinate' } })
    const { items } = await search(organization.client, 'palatinate')
    expect(items).toMatchObject([{ id, matchedFields: ['customFields.region'], snippet: 'Upper Palatinate' }])
    const blind = await organization.token(allBut('crm_custom_fields_read'))
    const none = await search(blind, 'palatinate')
    expect([none.items, none.meta]).toEqual([[], { nextCursor: null, truncated: false, redacted: ['custom_fields'] }])
  })
})

describe('kinds', () => {
  it('are those of the request that the token may read', async () => {
    const organization = await given.organization()
    for (const kind of kinds) await named(kind, organization, 'Umbrella')
    const types = async (client: Client, more = '') =>
      (await search(client, 'umbrella', more)).items.map(({ type }) => type).toSorted()
    expect(await types(organization.client)).toEqual(['company', 'contact', 'deal', 'task'])
    expect(await types(organization.client, '&types=deal,task')).toEqual(['deal', 'task'])
    const without = await organization.token(allBut('crm_deals_read'))
    expect(await types(without)).toEqual(['company', 'contact', 'task'])
    expect(await types(without, '&types=deal,task')).toEqual(['task'])
    expect(await types(without, '&types=deal')).toEqual([])
    expect(await types(await organization.token(['crm_search']))).toEqual([])
  })

  it('that do not exist are refused: 400', async () => {
    const { client } = await given.shared()
    for (const types of ['contacts', 'contact,', '']) {
      const answer = await client.get(`/search?q=anna&types=${types}`)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['query:types']])
    }
  })
})

it('takes 2 to 200 characters: 400', async () => {
  const { client } = await given.shared()
  for (const q of ['', 'x', ' x ', '\u0301\u0301', '𝒳'.repeat(201)]) {
    const answer = await client.get(`/search?q=${encodeURIComponent(q)}`)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['query:q']])
  }
  expect(issuePaths(await client.get('/search'))).toEqual(['query:q'])
  await search(client, '𝒳'.repeat(200))
  await search(client, Array.from({ length: 66 }, (_, at) => at + 10).join(' '))
})

it('takes its cursor with the same words and kinds alone', async () => {
  const organization = await given.organization()
  await named('contact', organization, 'Twin')
  await named('contact', organization, 'Twin')
  const { meta } = await search(organization.client, 'twin', '&limit=1')
  for (const query of ['q=other', 'q=twin&types=contact'])
    expect(outcome(await organization.client.get(`/search?${query}&cursor=${meta.nextCursor}`))).toBe(
      '400 invalid_cursor',
    )
})

it('takes signs of patterns for themselves', async () => {
  const organization = await given.organization()
  const percent = await named('company', organization, '100% cotton')
  await named('company', organization, '100 parts cotton')
  const dotted = await named('company', organization, 'A.B.C. (Ltd)')
  const plain = await named('company', organization, 'AxBxC Ltd')
  expect(await idsOf(organization.client, '100%')).toEqual([percent])
  expect(await idsOf(organization.client, 'a.b.c.')).toEqual([dotted])
  expect(await idsOf(organization.client, '(ltd)')).toEqual([dotted, plain])
  expect(await idsOf(organization.client, 'parts-cotton', '&limit=1')).toHaveLength(1)
  for (const q of ['%%', '__', '.*', '[a', '\\m', '((', "o'", '--', 'anna &', '(a .', '" ab"'])
    await search(organization.client, q)
})

it('finds nothing of another organization, by no rank', async () => {
  const [organization, other] = [await given.organization(), await given.organization()]
  const contactData = { phones: [{ value: '+12025550143' }], emails: [{ value: 'kestrel@example.com' }] }
  for (const each of [organization, other]) await aRecord('contact', each, { lastName: 'Kestrel', contactData })
  const own = await idsOf(organization.client, 'kestrel')
  expect(own).toHaveLength(1)
  for (const q of ['kest', 'estr', 'kesterl', 'ke', 'st', 'kestrel@example.com', 'example', '+12025550143', '5550143'])
    expect([q, await idsOf(organization.client, q)]).toEqual([q, own])
  const alone = await given.organization()
  for (const q of ['kestrel', 'kesterl', 'ke', 'st', 'kestrel@example.com'])
    expect([q, await idsOf(alone.client, q)]).toEqual([q, []])
})

it('finds no anonymized contact', async () => {
  const organization = await given.organization()
  const id = await named('contact', organization, 'Vanishing')
  await organization.client.delete(`/contacts/${id}?expectedVersion=1`)
  for (const q of ['vanishing', 'vanish', 'nish', 'vanihsing', 'anonymized'])
    expect(await idsOf(organization.client, q)).toEqual([])
})

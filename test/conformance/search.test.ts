import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, issuePaths, type Kind, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()

async function find(client: Client, kind: Kind, search: string): Promise<unknown[]> {
  const { status, items } = await client.get(`/${plurals[kind]}?search=${encodeURIComponent(search)}`)
  expect(status).toBe(200)
  return items.map(({ id }) => id)
}

const nameOf: Readonly<Record<Kind, string>> = { contact: 'lastName', company: 'name', deal: 'title', task: 'title' }

async function named(kind: Kind, organization: TestOrganization, name: string): Promise<unknown> {
  return (await aRecord(kind, organization, { [nameOf[kind]]: name })).id
}

describe.each(kinds)('search in the list of %ss', kind => {
  it('finds by every word of the text, in any order, also in the middle of words', async () => {
    const organization = await given.organization()
    const id = await named(kind, organization, 'Grand Northwind Traders')
    await named(kind, organization, 'Grand Southwind')
    for (const text of [
      'northwind grand',
      'Traders Northwind',
      'NORTH',
      'wind trad',
      ' grand   northwind ',
      'th TR',
      'tr',
    ]) {
      expect([text, await find(organization.client, kind, text)]).toEqual([text, [id]])
    }
    expect(await find(organization.client, kind, 'northwind nobody')).toEqual([])
  })

  it('knows neither case nor diacritics, and takes ё for е', async () => {
    const organization = await given.organization()
    const royal = await named(kind, organization, 'Королёв Žižkov Ångström')
    for (const text of ['королев', 'КОРОЛЁВ', 'zizkov', 'ŽIŽKOV', 'angstrom', 'A\u030angstro\u0308m']) {
      expect([text, await find(organization.client, kind, text)]).toEqual([text, [royal]])
    }
  })

  it('takes % and _ and \\ for themselves', async () => {
    const organization = await given.organization()
    const percent = await named(kind, organization, '100% cotton')
    const underscore = await named(kind, organization, 'snake_case')
    const backslash = await named(kind, organization, 'back\\slash')
    await named(kind, organization, '100 percent snakeXcase back slash')
    expect(await find(organization.client, kind, '100%')).toEqual([percent])
    expect(await find(organization.client, kind, '0% c')).toEqual([percent])
    expect(await find(organization.client, kind, 'snake_case')).toEqual([underscore])
    expect(await find(organization.client, kind, 'back\\slash')).toEqual([backslash])
    expect(await find(organization.client, kind, '%')).toEqual([percent])
    expect(await find(organization.client, kind, '_')).toEqual([underscore])
  })

  it('is paged like the list, newest first', async () => {
    const organization = await given.organization()
    const ids: unknown[] = []
    for (const name of ['Oak one', 'Oak two', 'Oak three']) ids.push(await named(kind, organization, name))
    await named(kind, organization, 'Birch')
    const path = `/${plurals[kind]}?search=oak&limit=2`
    const first = await organization.client.get(path)
    const second = await organization.client.get(`${path}&cursor=${String(first.meta.nextCursor)}`)
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.reverse())
    expect(second.meta.nextCursor).toBeNull()
    const spaced = await organization.client.get(`/${plurals[kind]}?search=birch&cursor=${first.meta.nextCursor}`)
    expect(outcome(spaced)).toBe('400 invalid_cursor')
  })

  it('follows a change of the name', async () => {
    const organization = await given.organization()
    const { client } = organization
    const id = await named(kind, organization, 'Oldname')
    await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, [nameOf[kind]]: 'Newname' })
    expect(await find(client, kind, 'oldname')).toEqual([])
    expect(await find(client, kind, 'newname')).toEqual([id])
  })

  it('takes 1 to 200 code points, outer spaces not counted', async () => {
    const { client } = await given.shared()
    const search = (text: string) => client.get(`/${plurals[kind]}?search=${encodeURIComponent(text)}`)
    expect((await search('𝒳'.repeat(200))).status).toBe(200)
    expect((await search(` ${'x'.repeat(200)} `)).status).toBe(200)
    expect((await search('x')).status).toBe(200)
    for (const wrong of ['𝒳'.repeat(201), '', '   ']) {
      const answer = await search(wrong)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['query:search']])
    }
  })

  it.each([
    ['a combining accent', '\u0301'],
    ['several of them, spaced', '\u0301 \u0308\u0327'],
    ['an accent that stands alone', '\u00b4'],
    ['a variation selector', '\ufe0f'],
  ])('refuses %s, of which nothing is left to look for: 400', async (_, text) => {
    const organization = await given.shared()
    await named(kind, organization, 'Anything')
    for (const client of [organization.client, await organization.token(allBut('crm_contact_data_read'))]) {
      const answer = await client.get(`/${plurals[kind]}?search=${encodeURIComponent(text)}`)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['query:search']])
    }
  })

  it('passes over accents that stand alone beside a word', async () => {
    const organization = await given.organization()
    const id = await named(kind, organization, 'Larsen')
    await named(kind, organization, 'Petrova')
    expect(await find(organization.client, kind, '\u00b4 larsen \u0301')).toEqual([id])
  })

  it('does not find by description, key or owner', async () => {
    const organization = await given.organization()
    await aRecord(kind, organization, { description: 'hidden words', externalId: 'hidden-key' })
    expect(await find(organization.client, kind, 'hidden')).toEqual([])
  })

  it('narrows together with externalId', async () => {
    const organization = await given.organization()
    const one = await aRecord(kind, organization, { [nameOf[kind]]: 'Twin' })
    await named(kind, organization, 'Twin')
    const path = `/${plurals[kind]}?externalId=${one.externalId}`
    expect((await organization.client.get(`${path}&search=twin`)).items.map(({ id }) => id)).toEqual([one.id])
    expect((await organization.client.get(`${path}&search=other`)).items).toEqual([])
  })
})

it('looks for words of one or two letters in a bounded number of records for one page, and goes on with the next', async () => {
  setBound(bounds.searchScan, 2)
  const organization = await given.organization()
  const older = await named('company', organization, 'Ox Bow')
  for (const name of ['Northwind', 'Southwind', 'Ox Bow two']) await named('company', organization, name)
  const [newer] = await find(organization.client, 'company', 'ox b')
  const pages: unknown[] = []
  let cursor = ''
  do {
    const { items, meta } = await organization.client.get(`/companies?search=ox%20b${cursor}`)
    pages.push(items.map(({ id }) => id))
    cursor = meta.nextCursor === null ? '' : `&cursor=${String(meta.nextCursor)}`
  } while (cursor !== '' && pages.length < 9)
  expect(pages).toEqual([[newer], [older], []])
})

it('finds a contact by its names in any order, and not by words of two contacts', async () => {
  const organization = await given.organization()
  const names = { firstName: 'Anna', middleName: 'Maria', lastName: 'Petrova', contactData: {} }
  const { id } = await aRecord('contact', organization, names)
  await aRecord('contact', organization, { ...names, firstName: 'Olga', lastName: 'Ivanova' })
  for (const text of ['anna petrova', 'Petrova Anna', 'maria petrova anna', 'petrova a']) {
    expect([text, await find(organization.client, 'contact', text)]).toEqual([text, [id]])
  }
  expect(await find(organization.client, 'contact', 'anna ivanova')).toEqual([])
})

it('finds a company by its legal name', async () => {
  const organization = await given.organization()
  const { id } = await aRecord('company', organization, { name: 'Acme', legalName: 'Roadrunner Holding' })
  expect(await find(organization.client, 'company', 'holding acme')).toEqual([id])
})

describe.each(['contact', 'company'] as const)('contact data of a %s', kind => {
  const contactData: JsonObject = {
    phones: [{ value: '+1 (202) 555-0143' }, { value: '202.555.0199' }],
    emails: [{ value: 'Front.Desk+x@Example.com' }],
  }
  const texts = ['2025550143', '+1 202 555 01 43', '555-0143', '(202) 555.0199', '12025550199', '0143']
  const emails = ['front.desk+x@example.com', 'FRONT.desk', 'example.com']

  it('is found by a token with crm_contact_data_read, phones by their digits however they are written', async () => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization, { contactData })
    await aRecord(kind, organization, { contactData: { phones: [{ value: '+1 303 555 9999' }] } })
    for (const text of [...texts, ...emails]) {
      expect([text, await find(organization.client, kind, text)]).toEqual([text, [id]])
    }
  })

  it.each(['030 123456', '(030) 123-456', '030123456', '0049 30 123456', '+49 30 123456', '30123456'])(
    'is found by %s, as a phone is dialled in the country of the organization',
    async text => {
      const organization = await given.organization()
      await given.configure(organization, `update organizations set country = 'DE' where id = $1`, [organization.id])
      const { id } = await aRecord(kind, organization, { contactData: { phones: [{ value: '+49 30 123456' }] } })
      await aRecord(kind, organization, { contactData: { phones: [{ value: '+49 30 123499' }] } })
      expect(await find(organization.client, kind, text)).toEqual([id])
      const { items } = await organization.client.get(`/search?q=${encodeURIComponent(text)}`)
      expect(items.map(hit => [hit.id, hit.matchedFields])).toEqual([[id, ['contactData.phones']]])
    },
  )

  it('is not found by a token without it', async () => {
    const organization = await given.organization()
    await aRecord(kind, organization, { contactData })
    const client = await organization.token(allBut('crm_contact_data_read'))
    for (const text of [...texts, ...emails]) expect([text, await find(client, kind, text)]).toEqual([text, []])
  })

  it('that is searched for as a whole finds the records with exactly that, and a part of it all that contain it', async () => {
    const organization = await given.organization()
    const withData = async (data: JsonObject) => (await aRecord(kind, organization, { contactData: data })).id
    const email = await withData({ emails: [{ value: 'Anna@example.com' }] })
    const longer = await withData({ emails: [{ value: 'joanna@example.com' }] })
    const phone = await withData({ phones: [{ value: '+1 202 555 0143' }] })
    const extended = await withData({ phones: [{ value: '+1 202 555 0143 77' }] })
    expect(await find(organization.client, kind, 'anna@example.com')).toEqual([email])
    expect(await find(organization.client, kind, 'nna@example.com')).toEqual([longer, email])
    expect(await find(organization.client, kind, '+1 (202) 555-0143')).toEqual([phone])
    expect(await find(organization.client, kind, '+1 202 555 014')).toEqual([extended, phone])
  })

  it('that is searched for as a whole has no longer ones on later pages either, whatever has become of the records', async () => {
    const organization = await given.organization()
    const { client } = organization
    const withEmail = async (value: string) =>
      aRecord(kind, organization, { contactData: { emails: [{ value }], phones: [{ value: '+1 202 555 0143' }] } })
    await withEmail('joanna@example.com')
    const { id: older } = await withEmail('anna@example.com')
    await withEmail('anna@example.com')
    const path = `/${plurals[kind]}?search=anna@example.com&limit=1`
    const { nextCursor } = (await client.get(path)).meta
    await client.patch(`/${plurals[kind]}/${older}`, { expectedVersion: 1, contactData: { emails: [] } })
    const { items, meta } = await client.get(`${path}&cursor=${String(nextCursor)}`)
    expect([items, meta.nextCursor]).toEqual([[], null])
  })

  it('is found by words of the name and of an e-mail together', async () => {
    const organization = await given.organization()
    const name = kind === 'contact' ? { lastName: 'Larsen' } : { name: 'Larsen' }
    const { id } = await aRecord(kind, organization, { ...name, contactData })
    expect(await find(organization.client, kind, 'larsen example')).toEqual([id])
    expect(await find(organization.client, kind, 'example LARSEN')).toEqual([id])
    expect(await find(organization.client, kind, 'larsen other.example')).toEqual([])
  })

  it('is no longer found after it was changed', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aRecord(kind, organization, { contactData })
    await client.patch(`/${plurals[kind]}/${id}`, { expectedVersion: 1, contactData: { phones: [] } })
    expect(await find(client, kind, '2025550143')).toEqual([])
    expect(await find(client, kind, 'front.desk')).toEqual([id])
  })
})

it('finds no anonymized contact', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aRecord('contact', organization, { lastName: 'Vanishing' })
  await client.delete(`/contacts/${id}?expectedVersion=1`)
  expect(await find(client, 'contact', 'vanishing')).toEqual([])
  expect(await find(client, 'contact', 'anonymized')).toEqual([])
})

it('finds a deal by its title only, not by the names of its parties', async () => {
  const organization = await given.organization()
  const { id: company } = await aRecord('company', organization, { name: 'Partyname' })
  await aRecord('deal', organization, { companies: [{ id: company }] })
  expect(await find(organization.client, 'deal', 'partyname')).toEqual([])
})

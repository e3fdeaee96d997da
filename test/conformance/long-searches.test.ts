import { describe, expect, it } from 'vitest'
import { useApi } from './support/given.ts'
import { aRecord, kinds, plurals } from './support/requests.ts'
import { idsOf, namedRecords, search } from './support/searches.ts'

const given = useApi()
const named = namedRecords(given)

describe('a search for more than eight words', () => {
  const frequent = ['common', 'usual']
  const rare = ['alpha', 'bravo', 'charlie', 'delta', 'foxtrot', 'golf', 'hotel', 'kilo']
  const q = [...frequent, ...rare].join(' ')

  it('finds the records with the eight rarest, and those with more of the others first', async () => {
    const organization = await given.organization()
    const { client } = organization
    const eight = await named('company', organization, rare.join(' '))
    const nine = await named('task', organization, ['usual', ...rare].join(' '))
    const ten = await named('deal', organization, q)
    const plain = await named('company', organization, rare.toReversed().join(' '))
    const seven = await named('company', organization, ['common', 'usual', ...rare.slice(1)].join(' '))
    for (let count = 0; count < 5; count += 1) await named('company', organization, frequent.join(' '))
    const { items, meta } = await search(client, q)
    expect(items.map(({ id }) => id)).toEqual([ten, nine, plain, eight, seven])
    expect(meta.truncated).toBe(true)
    expect((await search(client, rare.join(' '))).meta.truncated).toBe(false)
  })

  it('goes on by the words of its first page, whatever has become frequent meanwhile', async () => {
    const organization = await given.organization()
    const { client } = organization
    const found: unknown[] = []
    for (const name of [rare, ['usual', ...rare], rare, [...frequent, ...rare]])
      found.push(await named('company', organization, name.join(' ')))
    for (let count = 0; count < 5; count += 1) await named('company', organization, frequent.join(' '))
    const first = await search(client, q, '&limit=1')
    for (let count = 0; count < 10; count += 1) await named('task', organization, rare.slice(0, 2).join(' '))
    const pages: unknown[] = first.items.map(({ id }) => id)
    let { nextCursor } = first.meta
    while (nextCursor !== null) {
      const page = await search(client, q, `&limit=1&cursor=${nextCursor}`)
      expect(page.meta.truncated).toBe(true)
      pages.push(...page.items.map(({ id }) => id))
      nextCursor = page.meta.nextCursor
    }
    expect(pages).toEqual([found[3], found[1], found[2], found[0]])
  })

  it('finds names with a mistake in them', async () => {
    const organization = await given.organization()
    const id = await named('company', organization, q)
    for (let count = 0; count < 5; count += 1) await named('company', organization, frequent.join(' '))
    expect(await idsOf(organization.client, q.replace('charlie', 'chrlie'))).toEqual([id])
  })

  it('takes a phone number of many groups for one', async () => {
    const organization = await given.organization()
    const contactData = { phones: [{ value: '+49 30 12 45 67 89 10 76' }] }
    const { id } = await aRecord('contact', organization, { contactData })
    expect(await idsOf(organization.client, '49 30 12 45 67 89 10 76 ')).toEqual([id])
    expect(await idsOf(organization.client, '4 9 30 1 2 45 6 7 8 91 0 76')).toEqual([id])
  })
})

describe.each(kinds)('a list of %s', kind => {
  it('that is searched for more than eight words has the records that contain all of them', async () => {
    const organization = await given.organization()
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'zz']
    const id = await named(kind, organization, words.join(' '))
    for (const missing of ['nine', 'zz', 'three'])
      await named(kind, organization, words.filter(word => word !== missing).join(' '))
    const path = `/${plurals[kind]}?search=${encodeURIComponent(words.toReversed().join(' '))}`
    const listed = async () => (await organization.client.get(path)).items.map(each => each.id)
    expect(await listed()).toEqual([id])
    // Now all of the words are frequent.
    const more = [id]
    for (let count = 0; count < 10; count += 1) more.unshift(await named(kind, organization, words.join(' ')))
    expect(await listed()).toEqual(more)
  })
})

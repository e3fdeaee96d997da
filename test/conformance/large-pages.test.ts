import { beforeAll, describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import type { Answer, Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'

const given = useApi()
const count = 24
const text = '🂡'.repeat(10_000)

let organization: TestOrganization

beforeAll(async () => {
  organization = await given.organization()
  for (let number = 1; number <= count; number += 1) {
    const body = {
      externalId: `large-${number}`,
      name: `Large ${number}`,
      description: text,
      websites: ['https://example.com'],
    }
    await organization.client.post('/companies', body)
  }
})

/** Page after page, each small enough to be kept as records. */
async function inSmallPages(client: Client, query: string): Promise<Answer[]> {
  const pages: Answer[] = []
  for (let cursor: unknown = null; pages.length === 0 || cursor !== null; ) {
    const page = await client.get(`/companies?limit=2&${query}${cursor === null ? '' : `&cursor=${cursor}`}`)
    pages.push(page)
    cursor = page.meta.nextCursor
  }
  return pages
}

const recordsOf = (pages: readonly Answer[]) => pages.flatMap(({ items }) => items)

describe.each(['', 'search=large'])('a page that is too large to be held as records (%s)', query => {
  it('shows the records that small pages show, in their order', async () => {
    const { client } = organization
    const [large, small] = [await client.get(`/companies?limit=100&${query}`), await inSmallPages(client, query)]
    expect(JSON.stringify(large.body).length).toBeGreaterThan(bounds.large.most)
    expect(large.items).toHaveLength(count)
    expect(large.body).toEqual({ data: recordsOf(small), meta: { nextCursor: null } })
  })

  it('ends at its limit, and the next one goes on behind it', async () => {
    const { client } = organization
    const first = await client.get(`/companies?limit=${count - 1}&${query}`)
    const second = await client.get(`/companies?limit=100&${query}&cursor=${first.meta.nextCursor}`)
    expect([first.items.length, second.items.length, second.meta.nextCursor]).toEqual([count - 1, 1, null])
    expect(recordsOf([first, second])).toEqual(recordsOf(await inSmallPages(client, query)))
    const whole = await client.get(`/companies?limit=${count}&${query}`)
    expect([whole.items.length, whole.meta.nextCursor]).toEqual([count, null])
  })

  it('hides members that the token may not read, and names them', async () => {
    const client = await organization.token(allBut('crm_contact_data_read', 'crm_tags_read'))
    const [large, small] = [await client.get(`/companies?limit=100&${query}`), await inSmallPages(client, query)]
    expect(large.items).toEqual(recordsOf(small))
    expect(large.items[0]).not.toHaveProperty('contactData')
    expect(large.meta).toEqual({ ...small[0]?.meta, nextCursor: null })
    expect(large.meta.redacted).toEqual(['contact_data', 'tags'])
  })
})

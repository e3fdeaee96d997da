import { describe, expect, it } from 'vitest'
import { bounds, type Scope } from '../../server/src/kernel/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { allBut, useApi } from './support/given.ts'
import { aChange, aRecord, issuePaths, outcome } from './support/requests.ts'

const given = useApi()
const readScopes: readonly Scope[] = ['crm_contacts_read', 'crm_companies_read', 'crm_deals_read', 'crm_tasks_read']

async function positionOf(client: Client): Promise<string> {
  return String((await client.get('/changes/cursor')).data.cursor)
}

/** An organization with a position before one contact, three companies and a deal were created, in this order. */
async function aHistory(): Promise<{ organization: TestOrganization; start: string }> {
  const organization = await given.organization()
  const start = await positionOf(organization.client)
  await aRecord('contact', organization)
  await aRecord('company', organization)
  await aRecord('company', organization)
  await aRecord('deal', organization)
  return { organization, start }
}

describe('GET /changes/cursor', () => {
  it('gives the position after everything that has happened', async () => {
    const { organization } = await aHistory()
    const { status, body } = await organization.client.get('/changes/cursor')
    const issuedAt = new Date(given.clock.now()).toISOString()
    expect([status, body]).toEqual([200, { data: { cursor: expect.any(String), seq: 5, issuedAt }, meta: {} }])
    const page = await organization.client.get(`/changes?after=${objectOf(body.data).cursor}`)
    expect([page.items, page.meta.hasMore]).toEqual([[], false])
    await aRecord('contact', organization)
    expect((await organization.client.get(`/changes?after=${objectOf(body.data).cursor}`)).items).toHaveLength(1)
  })

  it('is position 0 in a new organization', async () => {
    const { client } = await given.organization()
    expect((await client.get('/changes/cursor')).data.seq).toBe(0)
  })
})

describe('GET /changes', () => {
  it('gives events in ascending order, with consecutive numbers that show that none is missing', async () => {
    const { organization, start } = await aHistory()
    const { items, meta } = await organization.client.get(`/changes?after=${start}`)
    expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(items.map(({ kind }) => kind)).toEqual([
      'contact.created',
      'company.created',
      'company.created',
      'company.created',
      'deal.created',
    ])
    expect(meta).toEqual({
      nextCursor: expect.any(String),
      hasMore: false,
      range: { fromSeq: 0, toSeq: 5, matched: 5, filtered: 0 },
    })
  })

  it('goes on with nextCursor, which is never null', async () => {
    const { organization, start } = await aHistory()
    const { client } = organization
    const seen: unknown[] = []
    let cursor = start
    for (const hasMore of [true, true, false, false]) {
      const { items, meta } = await client.get(`/changes?limit=2&after=${cursor}`)
      seen.push(...items.map(({ seq }) => seq))
      expect([typeof meta.nextCursor, meta.hasMore]).toEqual(['string', hasMore])
      cursor = String(meta.nextCursor)
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  it('counts what resourceTypes leaves out', async () => {
    const { organization, start } = await aHistory()
    const page = async (query: string) => organization.client.get(`/changes?after=${start}&${query}`)
    const companies = await page('resourceTypes=company&limit=2')
    expect(companies.items.map(({ seq }) => seq)).toEqual([2, 3])
    expect(companies.meta).toMatchObject({ hasMore: true, range: { fromSeq: 0, toSeq: 3, matched: 2, filtered: 1 } })
    const both = await page('resourceTypes=deal,contact')
    expect(both.items.map(({ seq }) => seq)).toEqual([1, 5])
    expect(both.meta).toMatchObject({ hasMore: false, range: { fromSeq: 0, toSeq: 5, matched: 2, filtered: 3 } })
    const twice = await page('resourceTypes=deal,deal')
    expect(twice.items.map(({ seq }) => seq)).toEqual([5])
  })

  it('looks at a bounded number of events for one page, which can be empty while there are more', async () => {
    setBound(bounds.feedScan, 2)
    const { organization, start } = await aHistory()
    const pages: unknown[] = []
    let cursor = start
    for (const hasMore of [true, true, false]) {
      const { items, meta } = await organization.client.get(`/changes?resourceTypes=deal&after=${cursor}`)
      pages.push([items.map(({ seq }) => seq), meta.range])
      expect(meta.hasMore).toBe(hasMore)
      cursor = String(meta.nextCursor)
    }
    expect(pages).toEqual([
      [[], { fromSeq: 0, toSeq: 2, matched: 0, filtered: 2 }],
      [[], { fromSeq: 2, toSeq: 4, matched: 0, filtered: 2 }],
      [[5], { fromSeq: 4, toSeq: 5, matched: 1, filtered: 0 }],
    ])
  })

  it('lets resourceTypes change between calls', async () => {
    const { organization, start } = await aHistory()
    const first = await organization.client.get(`/changes?after=${start}&resourceTypes=company&limit=1`)
    const rest = await organization.client.get(`/changes?after=${first.meta.nextCursor}&resourceTypes=deal,company`)
    expect(rest.items.map(({ seq }) => seq)).toEqual([3, 4, 5])
  })

  it('gives 50 events by default', async () => {
    const organization = await given.organization()
    const start = await positionOf(organization.client)
    const items = Array.from({ length: 60 }, (_, index) => ({ externalId: `c-${index}`, lastName: 'P' }))
    await organization.client.post('/contacts/batch/upsert', { items })
    const page = await organization.client.get(`/changes?after=${start}`)
    expect([page.items.length, page.meta.hasMore]).toEqual([50, true])
  })

  it('needs after: 400 without it, 400 invalid_cursor for an empty, tampered or foreign one', async () => {
    const { organization, start } = await aHistory()
    const { client } = organization
    const missing = await client.get('/changes')
    expect([outcome(missing), issuePaths(missing)]).toEqual(['400 validation_error', ['query:after']])
    const foreign = await positionOf((await given.shared()).client)
    const page = String((await client.get('/companies?limit=1')).meta.nextCursor)
    const tampered = start.slice(0, 20) + (start[20] === 'x' ? 'y' : 'x') + start.slice(21)
    for (const wrong of ['', 'abc', tampered, `${start}A`, foreign, page]) {
      expect([wrong, outcome(await client.get(`/changes?after=${wrong}`))]).toEqual([wrong, '400 invalid_cursor'])
    }
  })

  it('takes the position of another application of the organization', async () => {
    const { organization, start } = await aHistory()
    const { client } = await organization.application()
    const { items } = await client.get(`/changes?after=${start}`)
    expect(items).toHaveLength(5)
    expect(items.map(({ externalId }) => externalId)).toEqual([null, null, null, null, null])
    expect(new Set(items.map(({ applicationId }) => applicationId))).toEqual(new Set([organization.applicationId]))
  })

  it('shows actorUuid to crm_operators_read alone', async () => {
    const { organization, start } = await aHistory()
    const whole = await organization.client.get(`/changes?after=${start}`)
    expect(whole.items.map(({ actorUuid }) => actorUuid)).toEqual([null, null, null, null, null])
    expect(whole.meta.redacted).toBeUndefined()
    const client = await organization.token(allBut('crm_operators_read'))
    const { items, meta } = await client.get(`/changes?after=${start}`)
    for (const event of items) expect(event).not.toHaveProperty('actorUuid')
    expect([items.length, meta.redacted]).toEqual([5, ['operators']])
  })

  it('goes on showing the key that a live record has now', async () => {
    const organization = await given.organization()
    const start = await positionOf(organization.client)
    const { id } = await aRecord('company', organization)
    await organization.client.patch(`/companies/${id}`, { expectedVersion: 1, ...aChange.company, externalId: 'now' })
    const { items } = await organization.client.get(`/changes?after=${start}`)
    expect(items.map(({ externalId }) => externalId)).toEqual(['now', 'now'])
  })
})

describe.each(['/changes/cursor', '/changes'])('scopes of GET %s', route => {
  const path = async (client: Client, query: string) =>
    route === '/changes' ? `/changes?after=${await positionOf(client)}&${query}` : `/changes/cursor?${query}`

  it('are the read scopes of the requested kinds', async () => {
    const organization = await given.shared()
    const client = await organization.token(['crm_contacts_read', 'crm_deals_read'])
    const { client: full } = organization
    expect((await client.get(await path(full, 'resourceTypes=contact,deal'))).status).toBe(200)
    const { status, details, headers } = await client.get(await path(full, 'resourceTypes=contact,company'))
    expect(status).toBe(403)
    expect(details).toEqual({
      requiredScopes: ['crm_contacts_read', 'crm_companies_read'],
      missingScopes: ['crm_companies_read'],
    })
    expect(headers.get('ratelimit-limit')).toBeNull()
  })

  it('are any one of them where the request names no kind', async () => {
    const organization = await given.shared()
    for (const scope of readScopes) {
      const client = await organization.token([scope])
      expect((await client.get(await path(organization.client, ''))).status).toBe(200)
    }
    const none = await organization.token(allBut(...readScopes))
    const { status, details } = await none.get(await path(organization.client, ''))
    expect([status, details]).toEqual([403, { requiredScopes: readScopes, missingScopes: readScopes }])
  })

  it.each(['contacts', 'pet', '', 'contact,', 'Contact', 'contact, deal', 'tag', 'bulk-job'])(
    'do not matter for a kind that does not exist: resourceTypes=%s is 400',
    async text => {
      const { client } = await given.shared()
      const answer = await client.get(await path(client, `resourceTypes=${encodeURIComponent(text)}`))
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['query:resourceTypes']])
    },
  )
})

describe('without a choice of kinds', () => {
  it('only readable kinds are shown; the others count as filtered', async () => {
    const { organization, start } = await aHistory()
    const client = await organization.token(['crm_contacts_read', 'crm_deals_read'])
    const { items, meta } = await client.get(`/changes?after=${start}`)
    expect(items.map(({ seq }) => seq)).toEqual([1, 5])
    expect(meta.range).toEqual({ fromSeq: 0, toSeq: 5, matched: 2, filtered: 3 })
  })
})

describe('a cursor older than the retention', () => {
  const forget = (organization: TestOrganization, seq: number) =>
    given.sql(
      `with removed as (delete from changes where organization_id = $1 and seq <= $2 returning seq)
       update organization_feed set oldest_seq = (select max(r.seq) + 1 from removed r) where organization_id = $1`,
      [organization.id, seq],
    )

  it('gets 410 cursor_expired, with the way to begin again', async () => {
    const { organization, start } = await aHistory()
    await forget(organization, 2)
    const answer = await organization.client.get(`/changes?after=${start}`)
    expect(outcome(answer)).toBe('410 cursor_expired')
    expect(answer.details).toEqual({
      oldestSeq: 3,
      oldestAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
      retentionSeconds: 2_592_000,
      resync: expect.stringContaining('/changes/cursor'),
    })
  })

  it('gets it for any kinds, and when no event is kept at all', async () => {
    const { organization, start } = await aHistory()
    await forget(organization, 2)
    const filtered = await organization.client.get(`/changes?after=${start}&resourceTypes=deal`)
    expect(outcome(filtered)).toBe('410 cursor_expired')
    await forget(organization, 99)
    const answer = await organization.client.get(`/changes?after=${start}`)
    expect(outcome(answer)).toBe('410 cursor_expired')
    expect(answer.details.oldestSeq).toBe(6)
  })

  it('still serves the cursor at the edge, and the present one', async () => {
    const { organization, start } = await aHistory()
    const edge = String((await organization.client.get(`/changes?after=${start}&limit=2`)).meta.nextCursor)
    await forget(organization, 2)
    const { items } = await organization.client.get(`/changes?after=${edge}`)
    expect(items.map(({ seq }) => seq)).toEqual([3, 4, 5])
    const present = await positionOf(organization.client)
    await forget(organization, 99)
    expect((await organization.client.get(`/changes?after=${present}`)).status).toBe(200)
  })

  it('gets 403 for a missing scope and 400 for a wrong parameter first', async () => {
    const { organization, start } = await aHistory()
    await forget(organization, 2)
    const client = await organization.token(['crm_contacts_read'])
    expect(outcome(await client.get(`/changes?after=${start}&resourceTypes=deal`))).toBe('403 insufficient_scope')
    expect(outcome(await client.get(`/changes?after=${start}&limit=0`))).toBe('400 validation_error')
  })
})

describe('a cursor beyond the end of the feed, as one from before a restored backup is', () => {
  const restore = async ({ id }: TestOrganization, seq: number) => {
    await given.sql('delete from changes where organization_id = $1 and seq > $2', [id, seq])
    await given.sql('update organization_feed set seq = $2 where organization_id = $1', [id, seq])
  }

  it('gets 410 cursor_expired, with the way to begin again', async () => {
    const { organization } = await aHistory()
    const lost = await positionOf(organization.client)
    await restore(organization, 3)
    for (const query of ['', '&resourceTypes=deal']) {
      const answer = await organization.client.get(`/changes?after=${lost}${query}`)
      expect(outcome(answer)).toBe('410 cursor_expired')
      expect(answer.details).toMatchObject({ oldestSeq: 1, resync: expect.stringContaining('/changes/cursor') })
    }
  })

  it('gets it in a feed without events, too', async () => {
    const { organization } = await aHistory()
    const lost = await positionOf(organization.client)
    await restore(organization, 0)
    expect(outcome(await organization.client.get(`/changes?after=${lost}`))).toBe('410 cursor_expired')
  })

  it('does not concern the cursor at the end', async () => {
    const { organization, start } = await aHistory()
    const { meta } = await organization.client.get(`/changes?after=${start}&limit=3`)
    await restore(organization, 3)
    const { status, meta: end } = await organization.client.get(`/changes?after=${meta.nextCursor}`)
    expect([status, end.range]).toEqual([200, { fromSeq: 3, toSeq: 3, matched: 0, filtered: 0 }])
  })
})

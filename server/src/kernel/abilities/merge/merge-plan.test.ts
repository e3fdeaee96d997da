import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext } from '../../../../../test/support/decisions.ts'
import { band, gig, member, singer } from '../../../../../test/support/sample-resources.ts'
import type { RecordState, Resource } from '../../record/index.ts'
import type { Row } from '../../sql/index.ts'
import { mostAffected } from '../../write/needs.ts'
import { WorkingSet } from '../../write/working-set.ts'
import { holdersOf, referrersOf } from '../referrers/index.ts'
import { planMerge } from './merge-plan.ts'

const write = aWriteContext({ author: { type: 'user', uuid: 'operator', jobId: null } })
const kinds = [gig, member]

interface Loaded {
  readonly resource?: Resource
  readonly primary?: Partial<RecordState>
  readonly secondary?: Partial<RecordState>
  readonly others?: readonly (readonly [Resource, RecordState])[]
  /** The records that refer to the secondary, by field. */
  readonly found?: Readonly<Record<string, readonly Row[]>>
}

function plan({ resource = band, others = [], found = {}, ...pair }: Loaded) {
  const work = new WorkingSet()
  const primary = aRecord(resource, { id: 'one', version: 4, ...pair.primary })
  const secondary = aRecord(resource, { id: 'other', version: 7, ...pair.secondary })
  for (const record of [primary, secondary]) work.load(resource, record)
  for (const [kind, record] of others) work.load(kind, record)
  const referrers = referrersOf(resource, [singer, band], kinds)
  for (const referrer of referrers) work.loadRows(holdersOf(referrer, 'other'), found[referrer.field] ?? [])
  const own = kinds.filter(({ parent }) => parent.resource === resource)
  return planMerge(resource, { primary, secondary }, referrers, { kinds: own, moved: [] }, work, write)
}

describe('a merge', () => {
  it('makes one step of the primary, and takes the secondary away', () => {
    const effects = plan({ primary: { name: 'One' }, secondary: { name: 'Other', remark: 'Loud' } }).effects({})
    expect(effects).toMatchObject([
      {
        resource: band,
        operation: 'merged',
        mergedFromId: 'other',
        before: { id: 'one', version: 4 },
        after: { id: 'one', version: 5, name: 'One', remark: 'Loud', updatedAt: write.now, updatedByUuid: 'operator' },
      },
      { resource: band, before: { id: 'other' }, after: null, mergedIntoId: 'one' },
    ])
    expect(effects).toHaveLength(2)
  })

  it('lets the request choose where both have a value', () => {
    const { effects } = plan({ primary: { name: 'One' }, secondary: { name: 'Other' } })
    expect(effects({ name: 'secondary' })[0]?.after).toMatchObject({ name: 'Other' })
  })

  it.each([
    ['a', 'b', 'a'],
    [null, 'b', 'b'],
    [null, null, null],
  ])('of keys %j and %j keeps %j', (one, other, kept) => {
    const { effects, keys } = plan({ primary: { externalId: one }, secondary: { externalId: other } })
    expect(effects({})[0]?.after?.externalId).toBe(kept)
    expect(keys.conflict).toBe(one !== null)
  })

  it('moves the children of the secondary, and lets the record follow', () => {
    const others = [
      [gig, aRecord(gig, { id: 'g', bandId: 'other' })],
      [member, aRecord(member, { id: 'm', bandId: 'other', singer: 'nina' })],
    ] as const
    const { children, effects } = plan({ others, primary: { gigs: 4 } })
    expect(children.map(({ name, merged }) => [name, merged])).toEqual([
      ['gigs', 1],
      ['members', 1],
    ])
    const [first] = effects({})
    expect(first?.nested).toMatchObject([{ after: { id: 'g', bandId: 'one' } }, { after: { id: 'm', bandId: 'one' } }])
    expect(first?.after?.gigs).toBe(5)
  })

  it('redirects references from the secondary to the primary', () => {
    const trio = aRecord(band, { id: 'trio', leader: 'other', fans: ['other', 'x', 'one'] })
    const { links, effects, blockers } = plan({
      resource: singer,
      others: [[band, trio]],
      found: { leader: [{ id: 'trio' }], fans: [{ id: 'trio' }] },
    })
    expect(blockers).toEqual([])
    expect(links.get('bands')).toEqual(['trio'])
    const replaced = { kind: 'singer', id: 'other', other: 'one', erases: false }
    expect(effects({})[0]).toMatchObject({ after: { leader: 'one', fans: ['one', 'x'], version: 2 }, replaced })
    expect(effects({})).toHaveLength(3)
    expect(Object.keys(effects({})[1]?.after ?? {})).not.toContain('leader')
  })

  it('leaves no reference of the primary to the secondary', () => {
    const { effects } = plan({ primary: { rival: 'other' }, found: { rival: [{ id: 'one' }] } })
    expect(effects({}).find(({ operation }) => operation === 'merged')?.after?.rival).toBeNull()
  })
})

describe('a merge is forbidden', () => {
  it('by a united list that would be longer than it may be, which is never cut off', () => {
    const fans = (...ids: string[]) => ({ fans: ids })
    expect(plan({ primary: fans('a', 'b'), secondary: fans('b', 'c') }).blockers).toEqual([])
    expect(plan({ primary: fans('a', 'b'), secondary: fans('c', 'd') }).blockers).toEqual([
      { code: 'list_too_long', field: 'fans', count: 4, limit: 3 },
    ])
    expect(plan({ primary: fans(), secondary: fans('a', 'b', 'c', 'd') }).blockers).toEqual([])
  })

  it('by too many children of the secondary', () => {
    const others = ['a', 'b', 'c'].map(id => [gig, aRecord(gig, { id, bandId: 'other' })] as const)
    expect(plan({ others }).blockers).toEqual([{ code: 'list_too_long', field: 'gigs', count: 3, limit: 2 }])
  })

  it('by more records than one request may change, referring or belonging to it', () => {
    const rows = Array.from({ length: mostAffected }, (_, index) => ({ id: `b${index}` }))
    const blockers = (members: number, referring: readonly Row[]) => {
      const others = Array.from({ length: members }, (_, index) => {
        return [member, aRecord(member, { id: `m${index}`, bandId: 'other', singer: `s${index}` })] as const
      })
      return plan({ others, found: { rival: referring } }).blockers
    }
    expect(blockers(0, rows)).toEqual([])
    expect(blockers(1, rows)).toEqual([{ code: 'too_many_links', count: mostAffected + 1, limit: mostAffected }])
    expect(blockers(1, [...rows, { id: 'x' }])).toEqual([
      { code: 'too_many_links', count: mostAffected + 1, limit: mostAffected },
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext } from '../../../../../test/support/decisions.ts'
import { band, gig, member } from '../../../../../test/support/sample-resources.ts'
import type { RecordState } from '../../record/index.ts'
import { WorkingSet } from '../../write/working-set.ts'
import { mergedChildren } from './merged-children.ts'

const write = aWriteContext()
const [primary, secondary] = [aRecord(band, { id: 'one' }), aRecord(band, { id: 'other' })]
const inOne = (id: string, members: Partial<RecordState> = {}) => aRecord(member, { id, bandId: 'one', ...members })
const inOther = (id: string, members: Partial<RecordState> = {}) => aRecord(member, { id, bandId: 'other', ...members })

function merged(...members: readonly RecordState[]) {
  const work = new WorkingSet()
  for (const each of members) work.load(member, each)
  return mergedChildren(member, primary, secondary, work, write)
}

describe('a child of the secondary', () => {
  it('goes to the primary, one version further, behind what that has, in its order', () => {
    const { steps, ...counts } = merged(
      inOne('a', { singer: 'x', position: 0, rank: 'a0' }),
      inOther('c', { singer: 'z', position: 1, rank: 'a1' }),
      inOther('b', { singer: 'y', position: 0, rank: 'a0' }),
    )
    expect(counts).toEqual({ name: 'members', primary: 1, secondary: 2, merged: 3, blockers: [] })
    expect(steps).toMatchObject([
      {
        resource: member,
        before: { id: 'b', bandId: 'other' },
        after: { id: 'b', bandId: 'one', position: 1, version: 2 },
      },
      { before: { id: 'c' }, after: { id: 'c', bandId: 'one', position: 2, updatedAt: write.now } },
    ])
    const [first, second] = steps.map(({ after }) => String(after?.rank))
    expect(['a0', first, second].toSorted()).toEqual(['a0', first, second])
    expect(new Set(['a0', first, second]).size).toBe(3)
  })

  it('is the first where the primary has none', () => {
    const { steps } = merged(inOther('b', { singer: 'y', position: 4, rank: 'a7' }))
    expect(steps).toMatchObject([{ after: { bandId: 'one', position: 0, rank: 'a0' } }])
  })

  it('is absent where the secondary has none', () => {
    expect(merged(inOne('a', { singer: 'x' }))).toEqual({
      name: 'members',
      primary: 1,
      secondary: 0,
      merged: 1,
      steps: [],
      blockers: [],
    })
  })

  it('is removed where it links to the same record as a child of the primary, which stays in its place', () => {
    const { steps, merged: count } = merged(
      inOne('a', { singer: 'x', position: 0, rank: 'a0', instrument: 'Piano' }),
      inOther('b', { singer: 'x', position: 0, rank: 'a0', instrument: 'Bass' }),
    )
    expect(count).toBe(1)
    expect(steps).toMatchObject([{ before: { id: 'b' }, after: null }])
    expect(steps).toHaveLength(1)
  })

  it('passes members that only it has to the link that stays', () => {
    const { steps } = merged(
      inOne('a', { singer: 'x', position: 0, rank: 'a0' }),
      inOther('b', { singer: 'x', position: 0, rank: 'a0', instrument: 'Bass' }),
    )
    expect(steps).toMatchObject([
      { before: { id: 'a' }, after: { id: 'a', bandId: 'one', position: 0, instrument: 'Bass', version: 2 } },
      { before: { id: 'b' }, after: null },
    ])
  })
})

describe('a kind without places', () => {
  function gigs(own: number, further: number) {
    const work = new WorkingSet()
    for (let index = 0; index < own; index += 1) work.load(gig, aRecord(gig, { id: `a${index}`, bandId: 'one' }))
    for (let index = 0; index < further; index += 1) work.load(gig, aRecord(gig, { id: `b${index}`, bandId: 'other' }))
    return mergedChildren(gig, primary, secondary, work, write)
  }

  it('gives its children none', () => {
    const [step] = gigs(0, 1).steps
    expect(step?.after).toMatchObject({ bandId: 'one', version: 2 })
    expect(Object.keys(step?.after ?? {})).not.toContain('position')
  })

  it('forbids the merge where there would be more than may be', () => {
    expect(gigs(1, 1).blockers).toEqual([])
    expect(gigs(1, 2).blockers).toEqual([{ code: 'list_too_long', field: 'gigs', count: 3, limit: 2 }])
  })
})

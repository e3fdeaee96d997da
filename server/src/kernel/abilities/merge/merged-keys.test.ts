import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext } from '../../../../../test/support/decisions.ts'
import { band } from '../../../../../test/support/sample-resources.ts'
import { allKeysOf } from '../../write/load.ts'
import { WorkingSet } from '../../write/working-set.ts'
import { mergedKeys } from './merged-keys.ts'

const keys = (applications: readonly (readonly [string, string])[], own: readonly (string | null)[] = []) => {
  const work = new WorkingSet()
  for (const id of ['one', 'other']) {
    const held = applications.filter(([, holder]) => holder === id)
    work.loadRows(
      allKeysOf(id),
      held.map(([application_id]) => ({ application_id })),
    )
  }
  const [primary = null, secondary = null] = own
  return mergedKeys(
    aRecord(band, { id: 'one', externalId: primary }),
    aRecord(band, { id: 'other', externalId: secondary }),
    work,
    aWriteContext({ applicationId: 'mine' }),
  )
}

describe('keys of two records', () => {
  it.each([
    ['a', 'b', true],
    ['a', null, false],
    [null, 'b', false],
    [null, null, false],
  ])('of the calling application, %j and %j, are in conflict: %s', (one, other, conflict) => {
    expect(keys([], [one, other]).conflict).toBe(conflict)
  })

  it('of other applications move where the primary has none of the same', () => {
    expect(
      keys([
        ['a', 'one'],
        ['a', 'other'],
        ['b', 'other'],
        ['c', 'other'],
        ['d', 'one'],
        ['e', 'somebody'],
        ['mine', 'other'],
      ]).otherApplications,
    ).toEqual({ moved: 2, conflicts: 1 })
  })
})

import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext } from '../../../../test/support/decisions.ts'
import { gig, singer } from '../../../../test/support/sample-resources.ts'
import type { RecordState, Resource } from '../record/index.ts'
import { rowsOf } from './rows.ts'
import { WorkingSet } from './working-set.ts'

const id = '0197e2a4-0000-7000-8000-000000000001'

describe('the place of a record among the last changes', () => {
  const [then, now] = ['2026-03-02T10:00:00.000Z', '2026-03-02T10:00:01.000Z']
  const at = (operation: string, time: string) => ({ operation, kind: 'singer', updated_at: time, resource_id: id })
  const moved = (resource: Resource, before: RecordState | null, after: RecordState | null) => {
    const work = new WorkingSet()
    if (before !== null) work.load(resource, before)
    work.apply({ resource, before, after })
    const { rows } = rowsOf(work, aWriteContext())
    return rows
      .filter(({ table }) => table.name === 'last_changes')
      .map(({ operation, row }) => ({ operation, ...row }))
  }

  it('follows updatedAt from the creation of the record to its removal', () => {
    const [first, second] = [aRecord(singer, { updatedAt: then }), aRecord(singer, { updatedAt: now, version: 2 })]
    expect(moved(singer, null, first)).toEqual([at('insert', then)])
    expect(moved(singer, first, second)).toEqual([at('delete', then), at('insert', now)])
    expect(moved(singer, second, null)).toEqual([at('delete', now)])
  })

  it('does not change while updatedAt stays the same', () => {
    expect(
      moved(singer, aRecord(singer, { updatedAt: then }), aRecord(singer, { updatedAt: then, version: 2 })),
    ).toEqual([])
  })

  it('is removed when the person is erased, because no list shows the record', () => {
    const erased = aRecord(singer, { updatedAt: now, version: 2, anonymizedAt: now })
    expect(moved(singer, aRecord(singer, { updatedAt: then }), erased)).toEqual([at('delete', then)])
    expect(moved(singer, erased, { ...erased, updatedAt: then, version: 3 })).toEqual([])
  })

  it('does not exist for nested records', () => {
    expect(moved(gig, null, aRecord(gig, { updatedAt: now }))).toEqual([])
  })
})

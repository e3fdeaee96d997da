import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../admission/index.ts'
import { bounds } from '../limits/index.ts'
import { issuesOfOutline, outlineJson } from './json-outline.ts'

const outline = (text: string) => atOnce(outlineJson(new TextEncoder().encode(text)))
const wide = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, 0]))

/** The number of members and elements on all levels, as the outline counts them: by opening brackets and commas. */
function countedValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return Math.max(1, members.length) + members.reduce((sum: number, member) => sum + countedValues(member), 0)
}

describe('the outline of a JSON text', () => {
  it('counts the values that a parser would find, whatever the strings hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), fc.constantFrom(0, 2), (value, spaces) => {
        expect(outline(JSON.stringify(value, null, spaces)).values).toBe(countedValues(value))
      }),
    )
  })

  it('stops on its way, so that others run in between', () => {
    const bytes = new TextEncoder().encode(JSON.stringify(Array.from({ length: 1_000_000 }, () => 0)))
    let stops = -1
    for (let walk = outlineJson(bytes), done: boolean | undefined; !done; stops += 1) done = walk.next().done
    expect(stops).toBeGreaterThanOrEqual(30)
  })

  it('names the objects that are too wide, where they stand, and how wide they are', () => {
    const most = bounds.objectMembers.most
    const value = { items: [wide(most), { 'a/b': wide(most + 1) }, 7, wide(most + 700)] }
    const { wide: found, wideCount } = outline(JSON.stringify(value))
    expect(found).toEqual([
      { path: '/items/1/a~1b', members: most + 1 },
      { path: '/items/3', members: most + 700 },
    ])
    expect(wideCount).toBe(2)
  })

  it('names a hundred of them, and counts all', () => {
    const items = Array.from({ length: 130 }, () => wide(1001))
    const { issues, count } = issuesOfOutline(outline(JSON.stringify({ items })))
    expect(issues).toHaveLength(100)
    expect(issues[99]).toEqual({
      path: '/items/99',
      rule: 'maxProperties',
      message: 'An object has 1000 members at most, not 1001',
    })
    expect(count).toBe(130)
  })

  it('finds too many small values in one list', () => {
    const zeros = (count: number) => issuesOfOutline(outline(`[${'0,'.repeat(count - 1)}0]`)).issues
    expect(zeros(bounds.bodyValues.most)).toEqual([])
    expect(zeros(bounds.bodyValues.most + 1)).toMatchObject([{ path: '', rule: 'max_values' }])
  })

  it('describes faults in words', () => {
    const { objectMembers, bodyValues } = bounds
    expect(issuesOfOutline({ values: bodyValues.most, wide: [], wideCount: 0 })).toEqual({ issues: [], count: 0 })
    const message = `The body has more than ${bodyValues.most} members and elements`
    expect(issuesOfOutline({ values: bodyValues.most + 1, wide: [], wideCount: 0 })).toEqual({
      issues: [{ path: '', rule: 'max_values', message }],
      count: 1,
    })
    const tooWide = `An object has ${objectMembers.most} members at most, not 2000`
    expect(issuesOfOutline({ values: 1, wide: [{ path: '/a', members: 2000 }], wideCount: 3 })).toEqual({
      issues: [{ path: '/a', rule: 'maxProperties', message: tooWide }],
      count: 3,
    })
  })

  it('looks into no string, whatever is escaped in it', () => {
    const texts = ['"{"', '"\\"{"', '"\\\\"', '"\\\\\\"[,"', '"\\"{', '"', '']
    expect(texts.map(text => outline(text).values)).toEqual(texts.map(() => 0))
    expect(outline('["\\\\",{}]').values).toBe(3)
  })

  it('accepts text that is no JSON', () => {
    expect(['}', ']', ',', ':', '{]}', '{"a":}}'].map(text => outline(text).values)).toEqual([0, 0, 1, 0, 1, 1])
  })

  it('stops after each 64 KiB, and not before', () => {
    const stopsOf = (length: number) => [...outlineJson(new Uint8Array(length))].length
    expect([0, 65_536, 65_537, 131_072, 131_073].map(stopsOf)).toEqual([0, 0, 1, 1, 2])
  })

  it('looks 64 levels deep, and finds its way back from below', () => {
    const most = bounds.objectMembers.most
    const members = JSON.stringify(wide(most + 1))
    const nested = (depth: number, inner: string) => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`
    expect(outline(nested(63, members)).wideCount).toBe(1)
    expect(outline(nested(64, members)).wideCount).toBe(0)
    expect(outline(nested(63, `{"a":${nested(2, '0,'.repeat(most + 1))}}`)).wideCount).toBe(0)
    const { wide: found } = outline(`{"a":${nested(70, '{"x":[1,2]},3')},"b":[0,${members}],"c":{}}`)
    expect(found).toEqual([{ path: '/b/1', members: most + 1 }])
  })

  it('names the beginning of a long name', () => {
    const text = `{"${'x'.repeat(bounds.quoted.most + 9)}":${JSON.stringify(wide(1001))}}`
    expect(outline(text).wide).toMatchObject([{ path: `/${'x'.repeat(bounds.quoted.most)}` }])
  })

  it('has no limit for lists', () => {
    expect(outline(`[${'0,'.repeat(2000)}0]`)).toEqual({ values: 2001, wide: [], wideCount: 0 })
  })

  it('ends with any bytes, also deeper than it looks', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), bytes => void atOnce(outlineJson(bytes))))
    expect(outline('['.repeat(100_000)).values).toBe(100_000)
    expect(outline(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`).wide).toEqual([])
  })
})

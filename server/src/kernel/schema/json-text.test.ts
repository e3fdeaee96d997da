import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../admission/index.ts'
import { joined, listText, partsOf, sizeOf, TextParts, textOf } from './json.ts'

const long = '🂡é'.repeat(400_000)
/** How often the work pauses before it is done. */
function stopsOf(work: Generator<unknown, unknown>): number {
  let stops = 0
  while (!work.next().done) stops += 1
  return stops
}

describe('the text of a JSON list', () => {
  it('is that of the list in one piece, whatever its elements hold', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ stringUnit: 'binary' })), elements => {
        const text = atOnce(listText('{"data":[', [elements, undefined, { left: undefined }, ...elements], ']}'))
        expect(joined(text).toString()).toBe(JSON.stringify({ data: [elements, null, {}, ...elements] }))
      }),
      { numRuns: 40 },
    )
  })

  it('is a text when it is short, and bytes with stops between their parts when it is long', () => {
    expect(atOnce(listText('[', [], ']'))).toBe('[]')
    expect(atOnce(listText('[', ['few'], ']'))).toBe('["few"]')
    expect(stopsOf(listText('[', ['few'], ']'))).toBe(0)
    const many = Array.from({ length: 20 }, () => long.slice(0, 270_000))
    expect(stopsOf(listText('[', many, ']'))).toBe(20)
    const short = Array.from({ length: 12_000 }, (_, index) => ({ index, text: 'x'.repeat(index % 100) }))
    expect(stopsOf(listText('[', short, ']'))).toBeGreaterThanOrEqual(2)
    for (const list of [many, short])
      expect(joined(atOnce(listText('[', list, ']'))).toString()).toBe(JSON.stringify(list))
  })
})

describe('a text', () => {
  it('has a size, and one piece, whether it is whole or in parts', () => {
    const parts = [Buffer.from('ab'), Buffer.from('cde')]
    expect([sizeOf('abc'), sizeOf(parts), sizeOf([])]).toEqual([3, 5, 0])
    expect([joined('abc'), joined(parts).toString()]).toEqual(['abc', 'abcde'])
    expect(atOnce(partsOf(parts))).toBe(parts)
  })
})

describe('a long text', () => {
  it('has parts of 256 KiB, whether it is a list or cut from a text', () => {
    const elements = Array.from({ length: 40_000 }, () => 'x'.repeat(20))
    const list = atOnce(listText('[', elements, ']'))
    const lengths = typeof list === 'string' ? [] : list.map(part => part.length)
    expect(lengths).toHaveLength(4)
    for (const length of lengths.slice(0, -1)) {
      expect(length).toBeGreaterThanOrEqual(256 * 1024)
      expect(length).toBeLessThan(256 * 1024 + 16 * 23)
    }
    expect(atOnce(partsOf('x'.repeat(600_000))).map(part => part.length)).toEqual([262_144, 262_144, 75_712])
    expect(atOnce(partsOf(`${'x'.repeat(262_143)}🂡`)).map(part => part.length)).toEqual([262_147])
  })

  it('is cut between any two characters', () => {
    for (const [first, last] of ['\u{10000}\u{10ffff}', '\u{10ffff}\u{10000}', '\ud7ff\ue000'].map(two => [...two])) {
      const text = `${'x'.repeat(262_143)}${first}${last}`
      const [part] = atOnce(partsOf(text))
      expect(part?.toString()).toBe(`${'x'.repeat(262_143)}${first}`)
    }
  })

  it('may be collected piece by piece, and has a part as soon as 64 KiB are there', () => {
    const parts = new TextParts()
    for (const piece of ['é', 'x'.repeat(65_534), 'y', 'z', 'x'.repeat(65_534), 'z']) parts.add(piece)
    expect(parts.end().map(part => [part.length, part.toString().slice(-1)])).toEqual([
      [65_537, 'y'],
      [65_536, 'z'],
      [0, ''],
    ])
    expect(new TextParts().end().map(String)).toEqual([''])
  })

  it('is turned into bytes in parts, without cutting a character in two', () => {
    for (const text of [long, `x${long}`, `xx${long}`, '']) {
      expect(Buffer.concat(atOnce(partsOf(text))).toString()).toBe(text)
    }
    expect(stopsOf(partsOf(long))).toBeGreaterThanOrEqual(4)
  })

  it('is read from bytes in steps, without cutting a character in two, and without a byte order mark', () => {
    for (const text of [long, `x${long}`, `xx${long}`, `xxx${long}`, '']) {
      expect(atOnce(textOf(Buffer.from(text)))).toBe(text)
      expect(atOnce(textOf(Buffer.from(`\uFEFF${text}`)))).toBe(text)
    }
    expect(stopsOf(textOf(Buffer.from(long)))).toBeGreaterThanOrEqual(18)
  })

  it('is refused when its bytes are no UTF-8, also at the end', () => {
    for (const bytes of [[0xff], [0x61, 0xc3], [...Buffer.from(long), 0xf0, 0x9f]]) {
      expect(() => atOnce(textOf(Uint8Array.from(bytes)))).toThrow(TypeError)
    }
  })
})

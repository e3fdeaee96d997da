import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../admission/index.ts'
import { listBytes, textBytes, textOf } from './json-bytes.ts'

const long = '🂡é'.repeat(200_000)
/** How often work stops before it is done. */
function stopsOf(work: Generator<unknown, unknown>): number {
  let stops = 0
  while (!work.next().done) stops += 1
  return stops
}

describe('the bytes of a JSON list', () => {
  it('are those of the list in one piece, whatever its elements hold', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ stringUnit: 'binary' })), elements => {
        const parts = atOnce(listBytes('{"data":', [elements, undefined, { left: undefined }], '}'))
        const text = Buffer.concat(parts).toString()
        expect(text).toBe(`{"data":${JSON.stringify([elements, null, {}]).slice(1, -1)}}`)
      }),
    )
  })

  it('come in one part when they are few, and in parts with stops between them when they are many', () => {
    expect(stopsOf(listBytes('[', ['few'], ']'))).toBe(0)
    const many = Array.from({ length: 20 }, () => long.slice(0, 70_000))
    expect(stopsOf(listBytes('[', many, ']'))).toBe(20)
    expect(Buffer.concat(atOnce(listBytes('[', many, ']'))).toString()).toBe(JSON.stringify(many))
  })
})

describe('a long text', () => {
  it('is turned into bytes in parts, without cutting a character in two', () => {
    for (const text of [long, `x${long}`, `xx${long}`, '']) {
      expect(Buffer.concat(atOnce(textBytes(text))).toString()).toBe(text)
    }
    expect(stopsOf(textBytes(long))).toBeGreaterThanOrEqual(9)
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

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../admission/cooperative-yielding.ts'
import { faultInJson } from './json-fault.ts'

const faultIn = (text: string) => atOnce(faultInJson(text))

describe('faultInJson', () => {
  it.each([
    ['{', 1],
    ['{"a":1,}', 7],
    ['{"a":1 "b":2}', 7],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ["{'a':1}", 1],
    ['[1,]', 3],
    ['[1}', 2],
    ['[1 2]', 3],
    ['{"a":tru}', 8],
    ['{"a":undefined}', 5],
    ['{"a":NaN}', 5],
    ['01', 1],
    ['-', 1],
    ['1.', 1],
    ['[+1]', 1],
    ['"a', 2],
    ['"a\nb"', 2],
    [String.raw`"\x41"`, 2],
    [String.raw`"\u00g1"`, 5],
    ['{} {}', 3],
    ['', 0],
    [']', 0],
    ['// a', 0],
    ['\u00a0{}', 0],
  ])('of %j is at %i', (text, index) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(faultIn(text)).toBe(index)
  })

  it('is found in the texts that are no JSON, and in no others', () => {
    const piece = fc.constantFrom(...'[]{},:" \\u0a1-.eE+\n', 'true', 'null', '"a"', '"a":', '\\u00e4')
    const corrupted = fc
      .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 }))
      .map(
        ([text, at, put]) =>
          `${text.slice(0, at % (text.length + 1))}${put}${text.slice((at % (text.length + 1)) + 1)}`,
      )
    const text = fc.oneof(
      fc.json(),
      corrupted,
      fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('')),
    )
    fc.assert(
      fc.property(text, sent => {
        let isJson = true
        try {
          JSON.parse(sent)
        } catch {
          isJson = false
        }
        const at = faultIn(sent)
        expect(at === -1).toBe(isJson)
        expect(at).toBeLessThanOrEqual(sent.length)
      }),
      { numRuns: 5000 },
    )
  })

  it('is found in steps', () => {
    for (const long of [`["${'a'.repeat(1_000_000)}"`, `[${'1,'.repeat(500_000)}`])
      expect([...faultInJson(long)].length).toBeGreaterThan(10)
  })
})

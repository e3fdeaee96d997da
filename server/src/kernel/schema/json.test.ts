import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../admission/index.ts'
import { canonicalJson, isObject, parseJson, sameJson } from './json.ts'
import { pointer } from './json-pointer.ts'

const parse = (text: string) => atOnce(parseJson(new TextEncoder().encode(text)))
const ruleOf = (text: string) => {
  const parsed = parse(text)
  return 'issues' in parsed ? parsed.issues[0]?.rule : 'fine'
}
const wellFormed = fc.string({ unit: 'binary' }).filter(text => !text.includes('\0'))
const values = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 8 })

describe('parseJson', () => {
  it('gives the value of every JSON text that holds nothing forbidden', () => {
    fc.assert(
      fc.property(values, value => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('\\u0000'))
        expect(parse(text)).toEqual({ value: JSON.parse(text) })
      }),
    )
  })

  it('takes any text of well-formed code points, escaped or not', () => {
    const escaped = (text: string) =>
      Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
    fc.assert(
      fc.property(wellFormed, text => {
        expect(parse(JSON.stringify({ text }))).toEqual({ value: { text } })
        expect(parse(`{"text":"${escaped(text).join('')}"}`)).toEqual({ value: { text } })
      }),
    )
  })

  it('never throws, whatever bytes it is given', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const parsed = atOnce(parseJson(bytes))
        expect('value' in parsed || 'issues' in parsed).toBe(true)
      }),
    )
  })

  it('finds U+0000 and lone surrogates in any value and any name, with the place', () => {
    const wrong = fc.constantFrom(
      '\\u0000',
      '\\ud800',
      '\\udfff',
      '\\ude00\\ud83d',
      'a\\ud83d',
      '\\ud83d\\ud83d\\ude00',
    )
    fc.assert(
      fc.property(wrong, fc.nat(10), (text, depth) => {
        const nest = (inner: string) => `${'{"a":['.repeat(depth)}${inner}${']}'.repeat(depth)}`
        expect(parse(nest(`"${text}"`))).toMatchObject({ issues: [{ rule: 'text', path: '/a/0'.repeat(depth) }] })
        expect(parse(nest(`{"${text}":1}`))).toMatchObject({ issues: [{ rule: 'text', path: '/a/0'.repeat(depth) }] })
      }),
    )
  })

  it('takes 32 levels and refuses the 33rd, of lists and objects', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (levels: number) => `${open.repeat(levels - 1)}[]${close.repeat(levels - 1)}`
      expect([ruleOf(nested(32)), ruleOf(nested(33)), ruleOf(nested(100_000))]).toEqual(['fine', 'depth', 'depth'])
    }
  })

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", 'NaN', 'Infinity', '01', '"\t"', '[1]]', 'undefined', '\u00a0{}'])(
    'refuses %j as no JSON',
    text => {
      expect(ruleOf(text)).toBe('json')
    },
  )

  it('refuses bytes that are no UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc3, 0x22],
    ]) {
      expect(atOnce(parseJson(new Uint8Array(bytes)))).toMatchObject({ issues: [{ rule: 'json' }] })
    }
  })

  it('keeps __proto__ as a member like any other', () => {
    const parsed = parse('{"__proto__": {"admin": true}}')
    expect('value' in parsed && isObject(parsed.value) && Object.keys(parsed.value)).toEqual(['__proto__'])
  })
})

describe('canonicalJson', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, shuffled(member)]),
    )
  }

  it('is the same whatever the order of members, and differs for different values', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        expect(canonicalJson(shuffled(one))).toBe(canonicalJson(one))
        const same = canonicalJson(one) === canonicalJson(other)
        expect(same).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)))
      }),
    )
  })

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(values, value => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('leaves out members without a value', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}')
  })
})

/** The value with sorted members, made another way than by the code under test. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.keys(value)
    .toSorted()
    .map(name => [name, sorted(value[name])])
    .concat([['an', 'object']])
}

describe('sameJson', () => {
  it('holds for a copy in any order of members, and not for another value', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        expect(sameJson(one, structuredClone(one))).toBe(true)
        expect(sameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other))
        expect(sameJson(one, other)).toBe(sameJson(other, one))
      }),
    )
  })

  it.each([
    [null, undefined, false],
    [null, {}, false],
    [[], {}, false],
    [0, '0', false],
    [1, 1.0, true],
    [[1, 2], [2, 1], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, {}, true],
    [[null], [], false],
  ])('of %j and %j is %s', (one, other, same) => {
    expect(sameJson(one, other)).toBe(same)
  })
})

describe('pointer', () => {
  it('escapes what a JSON pointer reserves', () => {
    expect([pointer('a/b'), pointer('a~b'), pointer('~1'), pointer(3)]).toEqual(['a~1b', 'a~0b', '~01', '3'])
  })
})

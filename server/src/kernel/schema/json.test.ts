import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../admission/index.ts'
import { canonicalJson, canonicalPieces, isObject, parseJson, sameJson, shortBytes } from './json.ts'
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
      const nested = (levels: number, inner = '[]') => `${open.repeat(levels - 1)}${inner}${close.repeat(levels - 1)}`
      expect([ruleOf(nested(32)), ruleOf(nested(33)), ruleOf(nested(100_000))]).toEqual(['fine', 'depth', 'depth'])
      // A value in the deepest list is no level.
      for (const value of ['1', 'null', 'true', '"a"']) expect(ruleOf(nested(32, `[${value}]`))).toBe('fine')
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

describe('the fault of a body', () => {
  const wrong = (path: string, rule: string, message: string) => ({ issues: [{ path, rule, message }], count: 1 })
  const space = ' '.repeat(shortBytes)

  it('is described in words, at its place', () => {
    const early = 'The body is not valid JSON: it ends too early, after character'
    expect(parse('{')).toEqual(wrong('', 'json', `${early} 1`))
    expect(parse('{"a":"🂡')).toEqual(wrong('', 'json', `${early} 7`))
    const at = 'The body is not valid JSON at character'
    expect(parse('{"token":"🂡",}')).toEqual(wrong('', 'json', `${at} 14`))
    expect(parse('{\r\n  "a": "🂡" "b"\n}')).toEqual(wrong('', 'json', `${at} 15 (line 2, column 12)`))
    expect(parse('{"a":["\\u0000"]}')).toEqual(wrong('/a/0', 'text', 'The character U+0000 is not allowed'))
    expect(parse('["\\ud800"]')).toEqual(wrong('/0', 'text', 'A lone surrogate is not allowed'))
    const deep = `${'['.repeat(33)}${']'.repeat(33)}`
    expect(parse(deep)).toEqual(wrong('/0'.repeat(32), 'depth', 'Nested deeper than 32 levels'))
  })

  it.each([0, shortBytes])('may be in its bytes, also behind %i good ones', length => {
    const bytes = new Uint8Array(length + 1).fill(0x20)
    bytes[length] = 0xff
    expect(atOnce(parseJson(bytes))).toEqual(wrong('', 'json', 'The body is not valid UTF-8'))
  })

  it('may be in its form, also of a long one', () => {
    const message = `The body is not valid JSON: it ends too early, after character ${shortBytes + 1}`
    expect(parse(`{${space}`)).toEqual(wrong('', 'json', message))
  })

  it('is not a byte order mark', () => {
    expect(parse('\ufeff{}')).toEqual({ value: {} })
    expect(parse(`\ufeff{}${space}`)).toEqual({ value: {} })
  })
})

describe('a long body', () => {
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`m${index}`, 0])))

  it('is refused before it is parsed where it holds more than a body may; a short one cannot hold much', () => {
    expect(parse(wide.padEnd(shortBytes))).toMatchObject({ value: { m1000: 0 } })
    expect(parse(wide.padEnd(shortBytes + 1))).toMatchObject({ issues: [{ path: '', rule: 'maxProperties' }] })
  })

  it('is parsed in steps, each of which takes little time', () => {
    const stopsOf = (length: number) => [...parseJson(new TextEncoder().encode('[]'.padEnd(length)))].length
    expect(stopsOf(shortBytes)).toBe(stopsOf(2))
    expect(stopsOf(8 * shortBytes) - stopsOf(2)).toBeGreaterThanOrEqual(9)
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

  it('of a value that is no JSON is null, as in a list', () => {
    expect([canonicalJson(undefined), canonicalJson([undefined])]).toEqual(['null', '[null]'])
  })

  it('sorts members and separates them, at every level', () => {
    expect(canonicalJson({ b: [1, { d: 2, c: null }], a: '' })).toBe('{"a":"","b":[1,{"c":null,"d":2}]}')
  })

  it('leaves out members without a value', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}')
  })
})

/** The value with sorted members, made in another way than by the tested code. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.keys(value)
    .toSorted()
    .map(name => [name, sorted(value[name])])
    .concat([['an', 'object']])
}

describe('canonicalPieces', () => {
  it('are the same text, in pieces no longer than an element of an element', () => {
    fc.assert(fc.property(values, value => [...canonicalPieces(value)].join('') === canonicalJson(value)))
    const value = { b: [1, { d: [2], c: undefined }, null], a: { e: [3] }, f: undefined }
    expect([...canonicalPieces(value)].filter(piece => piece !== '')).toEqual([
      ...['{', '"a":', '{', '"e":', '[3]', '}', ',"b":'],
      ...['[', '1', ',', '{"d":[2]}', ',', 'null', ']', '}'],
    ])
  })

  it('are one piece for a value that is no list and no object', () => {
    expect([null, 'a', 1, true].map(value => [...canonicalPieces(value)])).toEqual([['null'], ['"a"'], ['1'], ['true']])
  })
})

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
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [1, 3], false],
    [{}, { a: undefined }, true],
    [{}, { constructor: 'a' }, false],
    [{ constructor: 'a' }, {}, false],
    [{ constructor: undefined }, {}, true],
    [[null], [], false],
  ])('of %j and %j is %s', (one, other, same) => {
    expect(sameJson(one, other)).toBe(same)
  })
})

describe('pointer', () => {
  it('escapes the reserved characters of a JSON pointer', () => {
    expect([pointer('a/b'), pointer('a~b'), pointer('~1'), pointer(3)]).toEqual(['a~1b', 'a~0b', '~01', '3'])
  })
})

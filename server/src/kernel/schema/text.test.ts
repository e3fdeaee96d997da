import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  codePoints,
  outerWords,
  phoneDigits,
  phoneWord,
  searchForm,
  searchWords,
  tidyText,
  visiblePattern,
} from './text.ts'

const texts = fc.string({ unit: 'binary' })

describe('tidyText', () => {
  it('gives text in normal form C without outer white space, and leaves such text alone', () => {
    fc.assert(
      fc.property(texts, text => {
        const tidied = tidyText(text)
        expect(tidied).toBe(tidied.normalize('NFC'))
        expect(tidied).toBe(tidied.trim())
        expect(tidyText(tidied)).toBe(tidied)
      }),
    )
  })

  it.each([
    ['zero-width spaces and joiners', '\u200b\u200c\u200d\u2060'],
    ['a byte order mark and a soft hyphen', '\ufeff\u00ad\ufeff'],
    ['Hangul fillers', '\u115f\u1160\u3164\uffa0'],
    ['combining marks', '\u0301\u20e3\ufe0f'],
    ['directions of writing', '\u200e\u202e\u2066\u2069'],
    ['control characters', '\u0001\u007f\u0085'],
    ['tags and variation selectors', '\u{e0061}\u{e0100}'],
    ['an empty braille pattern', '\u2800'],
    ['spaces between them', '\u200b \u00a0\u200b'],
  ])('is empty for nothing but %s', (_, text) => {
    expect(tidyText(text)).toBe('')
  })

  it.each([
    ['an emoji of several', '👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3'],
    ['a Persian word', 'می\u200cخواهم'],
    ['a name behind an invisible character', '\u200bAnna'],
    ['a soft hyphen in a word', 'Donau\u00addampf'],
  ])('leaves %s as it is typed', (_, text) => {
    expect(tidyText(text)).toBe(text)
  })
})

describe('the pattern of the document', () => {
  it.each([
    ...['a', ' a ', 'ä\nb', '\u00a0.'].map(text => [text, true] as const),
    ...['', ' ', '\t\n', '\u00a0\u3000', 'a\u0000', '\u0000'].map(text => [text, false] as const),
  ])('accepts %j: %s', (text, isText) => {
    expect(new RegExp(visiblePattern, 'u').test(text)).toBe(isText)
  })
})

describe('codePoints', () => {
  it('counts code points, not UTF-16 units', () => {
    fc.assert(fc.property(texts, text => codePoints(text) === Array.from(text).length))
    expect([codePoints('abc'), codePoints('𝒳𝒳'), codePoints('👩‍👧'), codePoints('e\u0301')]).toEqual([3, 2, 3, 2])
  })
})

describe('searchForm', () => {
  it('has no capitals, no diacritics and no double or outer spaces; once made it stays', () => {
    fc.assert(
      fc.property(texts, text => {
        const form = searchForm(text)
        expect(form).not.toMatch(/^\s|\s$|\s\s|[\t\n]/u)
        expect(form.normalize('NFD')).not.toMatch(/[\u0300-\u036f]/u)
        expect(searchForm(form)).toBe(form)
      }),
    )
  })

  it('is the same for a word in capitals, in any normal form', () => {
    const words = fc.string({
      unit: fc.constantFrom(...'abcxyzäöüßéñžščåøæαβγδабвгдежзиклмнопрстуфхцчшщъыьэюяёйїґ'),
      minLength: 1,
    })
    fc.assert(
      fc.property(
        words.filter(word => !word.includes('ß')),
        word => {
          const forms = [word, word.toUpperCase(), word.normalize('NFD'), word.normalize('NFC')].map(searchForm)
          expect(new Set(forms).size).toBe(1)
        },
      ),
    )
  })

  it.each([
    ['ЁЖ', 'еж'],
    ['Йод', 'иод'],
    ['Žižkov', 'zizkov'],
    ['Ångström', 'angstrom'],
    ['ﬁne', 'fine'],
    ['Ａ１', 'a1'],
    ['  a \t\n b\u00a0c ', 'a b c'],
    ['İstanbul', 'istanbul'],
    ['ООО «Ромашка»', 'ооо "ромашка"'],
    ['„Der“ ‹Rest› “of” ‟it”', '"der" "rest" "of" "it"'],
    ['O’Brien ‘n‛ ‚Sons', "o'brien 'n' 'sons"],
    ['a‐b‑c‒d–e—f―g−h', 'a-b-c-d-e-f-g-h'],
    ['ΠΑΣ Πασχάλης', 'πασ πασχαλησ'],
  ])('of %j is %j', (text, form) => {
    expect(searchForm(text)).toBe(form)
  })
})

describe('the outer words of a search', () => {
  it.each([
    ['Anna Petrova', ['anna', 'petrova']],
    ['  anna   ANNA ', ['anna']],
    ['Ann Anna', ['anna']],
    ['anna ann nna', ['anna']],
    ['ab bc', ['ab', 'bc']],
  ])('of %j are %j: each once, and none that is part of another', (text, words) => {
    expect(outerWords(searchWords(text))).toEqual(words)
  })
})

test.each([
  ['+1 (202) 555-0143', '12025550143'],
  ['１２３–４５', '12345'],
  [' 1-800-FLOWERS ext. 5', '1-800-flowersext.5'],
  ['123 étage', '123etage'],
  ['12', '12'],
])('%j is one word as a phone number: %j', (text, word) => {
  expect(phoneWord(text)).toBe(word)
  expect(phoneWord(word)).toBe(word)
})

describe('phoneDigits', () => {
  it('are the digits of a number however it is spaced', () => {
    const separators = fc.constantFrom('', ' ', '-', '.', '(', ')', '/', '+')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), separators), { minLength: 3, maxLength: 20 }), parts => {
        const text = parts.map(([digit, separator]) => `${separator}${digit}`).join('')
        expect(phoneDigits(text)).toBe(parts.map(([digit]) => digit).join(''))
      }),
    )
  })

  it.each(['', ' ', '12', '+1 2', 'anna', '555 0143 ext 2', 'a123', '+-()', '١٢٣٤'])('are none of %j', text => {
    expect(phoneDigits(text)).toBeNull()
  })
})

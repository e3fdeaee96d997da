import { describe, expect, it } from 'vitest'
import {
  beginsWord,
  contains,
  divideWords,
  isAddress,
  isIndexed,
  isWhole,
  namedWords,
  opensWord,
  outerTerms,
  type SearchedTexts,
  searchTerms,
} from './search-conditions.ts'

const names = { contactData: false, customFields: false }
const everything = { contactData: true, customFields: true }
const bind = (value: unknown) => JSON.stringify(value)
const termsOf = (search: string, texts: SearchedTexts, country: string) =>
  searchTerms(search, divideWords(search, () => 0).asked, texts, country)
const conditions = (search: string) => outerTerms(termsOf(search, names, 'US')).map(term => contains(term, names, bind))

it.each(['abc', 'čšž', '中文字', 'ab-', '-a', 'a.b', '1a2'])('looks for %s in the index, which knows it', word => {
  expect(conditions(word)[0]).toContain('t.search_names like "%')
  expect(isIndexed(termsOf(word, names, 'US'))).toBe(true)
})

it.each(['a', 'ab', 'a-', 'c++', '---', '%', '中文'])('looks for %s among the newest records', word => {
  expect(conditions(word)).toEqual([`strpos(t.search_names, "${word}") > 0`])
  expect(isIndexed(termsOf(word, names, 'US'))).toBe(false)
})

it('has a condition for each word', () => {
  expect(conditions('x Petrova')).toEqual(['strpos(t.search_names, "x") > 0', 't.search_names like "%petrova%"'])
})

it('has one condition for a repeated word, and none for a word that is part of another', () => {
  expect(conditions('Trov petrova a PETROVA')).toEqual(['t.search_names like "%petrova%"'])
})

it('looks for each whole word by itself, also for one that stands in another, but for no more words than a search has', () => {
  const words = (search: string) => termsOf(search, names, 'US').flatMap(term => term.words)
  expect(words('Trov petrova a PETROVA')).toEqual(['petrova', 'trov', 'a'])
  expect(words('abcdefghijkl a b c d e f g h i j k l')).toEqual(['abcdefghijkl', 'a', 'b', 'c', 'd', 'e', 'f', 'g'])
})

it('has conditions for the eight words of the lowest frequency, the first of equal ones, and keeps the others for the order', () => {
  const search = 'alpha bravo charlie delta echo foxtrot golf hotel india brav'
  const frequencies = new Map([
    ['alpha', 3],
    ['golf', 1],
    ['india', 0],
  ])
  expect(divideWords(search, word => frequencies.get(word) ?? 2)).toEqual({
    asked: ['india', 'golf', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'hotel'],
    others: ['alpha', 'brav'],
  })
})

it('looks for a phone number in one piece in contact data, and for its words elsewhere', () => {
  const [term, ...more] = termsOf('+1 202 555', everything, 'US')
  expect(more).toEqual([])
  expect(term).toEqual({ words: ['+1', '202', '555'], reached: '1202555' })
  expect(termsOf('+1 202 555', names, 'US')).toHaveLength(3)
})

it.each([
  ['030 123456', 'DE', '4930123456'],
  ['0049 30 123456', 'DE', '4930123456'],
  ['8 (900) 123-45-67', 'RU', '79001234567'],
  ['30123456', 'DE', '30123456'],
  ['123456', 'DE', '123456'],
  ['030 123456', 'US', '030123456'],
  ['030 123456', 'XX', '030123456'],
])('looks for the number %s of country %s as it is stored: %s', (text, country, digits) => {
  expect(termsOf(text, everything, country).map(({ reached }) => reached)).toEqual([digits])
})

describe('an address', () => {
  it.each(['anna@example.com', '+1 202 555 0143', '5550143'])('is %s', text => {
    expect(isAddress(termsOf(text, everything, 'US'), everything)).toBe(true)
    expect(isAddress(termsOf(text, names, 'US'), names)).toBe(false)
  })

  it.each(['anna', '@example.com', 'anna@example', '555014', 'petrova anna@example.com'])('is not %s', text => {
    expect(isAddress(termsOf(text, everything, 'US'), everything)).toBe(false)
  })
})

describe('words of names', () => {
  it('are split at the marks that names have', () => {
    expect(namedWords('Smith-Jones, O’Neil & Söhne (A.B.)')).toEqual(['smith', 'jones', 'o', 'neil', 'sohne', 'a', 'b'])
    expect(namedWords('---')).toEqual([])
  })

  it('are looked for as a whole, and with their marks where the text has some', () => {
    const whole = (text: string) => termsOf(text, names, 'US').map(term => isWhole(term, names, bind))
    expect(whole('Anna')[0]).toMatch(/@> \["anna"\]::text\[\]\)$/u)
    expect(whole('Smith-Jones')[0]).toMatch(
      /@> \["smith","jones"\]::text\[\] and strpos\(t.search_names, "smith-jones"\) > 0\)$/u,
    )
    expect(whole('&')).toEqual(['false'])
  })

  it('begin behind nothing, a space or a hyphen', () => {
    const begins = (text: string) => termsOf(text, names, 'US').map(term => beginsWord(term, names, bind))
    const patterns = ['c+%', '% c+%', '%-c+%'].map(pattern => `t.search_names like "${pattern}"`)
    expect(begins('c+')).toEqual([`(${patterns.join(' or ')})`])
    expect(begins('100%')[0]).toContain(bind('100\\%%'))
    expect(begins('+c')).toEqual(['false'])
  })

  it('begin behind their marks too, where no index decides', () => {
    const opens = (text: string) => termsOf(text, names, 'US').map(term => opensWord(term, names, bind))[0]
    expect(opens('(acme')).toMatch(
      /^\(false or strpos\(' ' \|\| translate\(t.search_names, .*\), " acme"\) > 0 and strpos\(t.search_names, "\(acme"\) > 0\)$/u,
    )
    expect(opens('&')).toBe('false')
  })
})

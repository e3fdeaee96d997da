import { describe, expect, it } from 'vitest'
import { languageOf } from './language.ts'
import { tokensOf } from './tokens.ts'

describe('the words of a text', () => {
  it.each([
    ['Tea-Pots, HOT & "cold"!', ['tea', 'pots', 'hot', 'cold']],
    ['Ёлка и ёж', ['елка', 'и', 'еж']],
    ['ﬁne ①', ['fine', '1']],
    ['Größe, café', ['größe', 'café']],
    [`${'x'.repeat(64)} ${'y'.repeat(65)}`, ['x'.repeat(64)]],
    ['', []],
  ])('%j are %j', (text, words) => {
    expect(tokensOf(text)).toEqual(words)
  })

  it.each([
    ['1.299,00 €', '1299'],
    ['1,299.00', '1299'],
    ["12'500", '12500'],
    ['1 000 000', '1000000'],
    ['24,90', '24.9'],
    ['24.9', '24.9'],
    ['24,00', '24'],
    ['0049', '0049'],
  ])('have the number %j as %s', (text, number) => {
    expect(tokensOf(text)).toContain(number)
  })

  it('are not put together where digits are not in groups of three', () => {
    expect(tokensOf('12 34')).toEqual(['12', '34'])
    expect(tokensOf('1 0000')).toEqual(['1', '0000'])
    expect(tokensOf('2026.11.23')).toEqual(['2026', '11.23'])
  })
})

describe('the language of a text', () => {
  it.each([
    ['Where is the key of the door?', 'english'],
    ['Wo ist der Schlüssel für die Tür?', 'german'],
    ['Где лежит ключ от двери?', 'russian'],
    ['Ключ Wi-Fi лежит на столе', 'russian'],
    ['Größe', 'german'],
    ['Teapot TP-1', null],
    ['the und', null],
    ['', null],
  ])('%j is %s', (text, language) => {
    expect(languageOf(tokensOf(text))).toBe(language)
  })
})

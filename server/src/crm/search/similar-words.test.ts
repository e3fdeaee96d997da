import { describe, expect, it } from 'vitest'
import { bounds } from '../../kernel/index.ts'
import { likelyWords, similarWords } from './similar-words.ts'
import { transliterations } from './transliteration.ts'

describe('similar words', () => {
  it.each([
    ['jonh', 'john'],
    ['smtih', 'smith'],
    ['jon', 'john'],
    ['johnn', 'john'],
    ['jphn', 'john'],
    ['lukasz', 'łukasz'],
    ['strasse', 'straße'],
    ['иавнов', 'иванов'],
    ['олга', 'ольга'],
  ])('of %s include %s', (typed, meant) => expect(similarWords(typed)).toContain(meant))

  it.each(['an', '123', 'a1b', 'anna@example'])('are not looked for where the word is %s', typed =>
    expect(similarWords(typed)).toEqual([]),
  )

  it('come once each, and never include the searched word', () => {
    const words = similarWords('anna')
    expect(new Set(words).size).toBe(words.length)
    expect(words).not.toContain('anna')
  })

  it('are looked for only for the four longest words of a search', () => {
    const words = likelyWords('One three seven eleven twelve one')
    expect(words.map(({ word, similar }) => [word, similar.length > 0])).toEqual([
      ['one', false],
      ['three', true],
      ['seven', true],
      ['eleven', true],
      ['twelve', true],
    ])
  })

  it('are not looked for where the word is an address, a number, or a part of one', () => {
    expect(likelyWords('anna@example.com +1-202 smith-jones').filter(({ similar }) => similar.length === 0)).toEqual([
      { word: 'anna@example.com', similar: [], written: [] },
      { word: '+1-202', similar: [], written: [] },
    ])
  })

  it('are bounded in number, and absent for a word that is longer than names', () => {
    const count = (search: string) => likelyWords(search).flatMap(({ similar }) => similar).length
    const long = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(30))
    expect(count('john smith')).toBeGreaterThan(count('smith'))
    expect(count(long.join(' '))).toBe(count(long[0] ?? ''))
    expect(count(long.join(' '))).toBeLessThanOrEqual(bounds.searchSimilar.most)
    expect(count('petrova'.repeat(9))).toBe(0)
  })
})

// й is и and ё is е in what search compares.
describe('the other script', () => {
  it.each([
    ['ivanov', 'иванов'],
    ['yuliya', 'юлия'],
    ['julia', 'юлия'],
    ['dmitry', 'дмитрии'],
    ['shchukin', 'щукин'],
    ['schukin', 'щукин'],
    ['sergey', 'сергеи'],
    ['khabarov', 'хабаров'],
    ['tsoi', 'цои'],
    ['петрова', 'petrova'],
    ['вебер', 'weber'],
    ['чехов', 'chekhov'],
    ['жанна', 'zhanna'],
    ['юлия', 'yulia'],
  ])('of %s has %s', (typed, meant) => expect(transliterations(typed, 48)).toContain(meant))

  it('begins with the likeliest form, and ends at the bound', () => {
    expect(transliterations('ivanov', 48)[0]).toBe('иванов')
    expect(transliterations('yuliyayuliyayuliya', 5)).toHaveLength(5)
  })

  it('of a word with letters of both scripts is each of them', () => {
    expect(transliterations('сlara', 48)).toEqual(expect.arrayContaining(['clara', 'слара']))
  })
})

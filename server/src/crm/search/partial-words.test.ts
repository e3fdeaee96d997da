import { describe, expect, it } from 'vitest'
import { bounds } from '../../kernel/index.ts'
import { company } from '../companies/index.ts'
import { mostMissing, partialWords, weightsOf } from './partial-words.ts'

const kinds = [{ resource: company, texts: { contactData: false, customFields: false } }]
const likely = (...words: readonly string[]) => words.map(word => ({ word, similar: [], written: [] }))
const newestWith = (names: string, count: number) =>
  Array.from({ length: count }, () => ({ kind: 'company', names, contact_data: '', custom_fields: '' }))

describe('a word of a search for records with some of the words', () => {
  it('has a greater weight if fewer of the newest records contain it', () => {
    const newest = [...newestWith('torres foods incorporated', 1), ...newestWith('foods incorporated', 9)]
    expect(weightsOf(likely('nobody', 'torres', 'incorporated'), kinds, [...newest, ...newestWith('', 90)])).toEqual([
      10, 8, 5,
    ])
    expect(weightsOf(likely('foods'), kinds, newest)).toEqual([1])
  })

  it('has the greatest weight in an organization without records', () => {
    expect(weightsOf(likely('torres', 'foods'), kinds, [])).toEqual([10, 10])
  })

  it('keeps its place when only the heaviest are used', () => {
    const words = likely('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
    const used = partialWords(words, [5, 1, 5, 5, 5, 2, 5, 5, 5, 5])
    expect(used).toHaveLength(bounds.searchWords.most)
    expect(used.map(({ word, place }) => [word, place])).not.toContainEqual(['b', 1])
    expect(used.map(({ word }) => word).join('')).toBe('acdeghij')
  })
})

it('a record has at least half of the words, rounded down, and one', () => {
  expect([1, 2, 3, 4, 5, 8].map(mostMissing)).toEqual([0, 1, 2, 2, 3, 4])
})

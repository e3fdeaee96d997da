import { bounds, namedWords } from '../../kernel/index.ts'
import { searchForm } from '../../kernel/schema/index.ts'
import { transliterations } from './transliteration.ts'

const latin = 'abcdefghijklmnopqrstuvwxyz'
const cyrillic = 'абвгдежзиклмнопрстуфхцчшщъыьэюя'
const shortest = 3
const longest = 32
const mostSpellings = 48

/** Letters whose accent belongs to the letter, and the letters that people type instead of them. */
const typedAs: readonly (readonly [typed: string, meant: string])[] = [
  ['l', 'ł'],
  ['o', 'ø'],
  ['d', 'đ'],
  ['d', 'ð'],
  ['i', 'ı'],
  ['h', 'ħ'],
  ['t', 'ŧ'],
  ['ss', 'ß'],
  ['ae', 'æ'],
  ['oe', 'ø'],
  ['oe', 'œ'],
  ['th', 'þ'],
]

/**
 * The words that a user may have meant by this one: one letter wrong, missing or too many, two neighbouring letters swapped, an accent left
 * out, or the other of the Latin and Cyrillic scripts. The index of whole words is searched for each of them, so no dictionary is stored.
 * There are none for a number, for a word of one or two letters, which is similar to every other, and for a word that is longer than names
 * are.
 */
export function similarWords(word: string): string[] {
  const letters = [...word]
  if (letters.length < shortest || letters.length > longest) return []
  if (!letters.every(letter => /\p{L}/u.test(letter))) return []
  const elsewhere = transliterations(word, mostSpellings)
  const [likeliest] = elsewhere
  const found = new Set([
    ...oneMistake(letters),
    ...withAccents(word),
    ...elsewhere,
    ...(likeliest === undefined ? [] : oneMistake([...likeliest])),
  ])
  found.delete(word)
  return [...found].filter(text => text.length > 1)
}

function* oneMistake(letters: readonly string[]): Iterable<string> {
  const alphabet = letters.some(letter => cyrillic.includes(letter)) ? cyrillic : latin
  for (let place = 0; place <= letters.length; place += 1) {
    const before = letters.slice(0, place).join('')
    const [letter = '', next = '', ...rest] = letters.slice(place)
    const behind = next + rest.join('')
    for (const added of alphabet) yield before + added + letter + behind
    if (letter === '') continue
    yield before + behind
    for (const other of alphabet) yield before + other + behind
    if (next !== '') yield before + next + letter + rest.join('')
  }
}

function withAccents(word: string): string[] {
  return typedAs.filter(([typed]) => word.includes(typed)).map(([typed, meant]) => word.replaceAll(typed, meant))
}

/** A word of a search, and its similar words. */
export interface LikelyWord {
  readonly word: string
  readonly similar: readonly string[]
  /** The similar words without a mistake, the likeliest first: the word with its accents, or in the other script. */
  readonly written: readonly string[]
}

const mostLikely = 4
const mostWritten = 8

const writtenForms = (word: string) =>
  [...withAccents(word), ...transliterations(word, mostSpellings)].slice(0, mostWritten)

/**
 * The words of a search. Within the bound, the longest few of them may be misspelled. The others must match exactly, and so must an
 * address, because its parts are not words of their own.
 */
export function likelyWords(search: string): LikelyWord[] {
  const texts = searchForm(search).split(' ')
  const words = [...new Set(texts.flatMap(text => (/[@\d]/u.test(text) ? [text] : namedWords(text))))]
  const meant = new Map<string, readonly string[]>()
  let left: number = bounds.searchSimilar.most
  for (const word of words.toSorted((one, other) => other.length - one.length).slice(0, mostLikely)) {
    const similar = similarWords(word)
    if (similar.length > left) continue
    meant.set(word, similar)
    left -= similar.length
  }
  return words.map(word => {
    const similar = meant.get(word) ?? []
    return { word, similar, written: similar.length === 0 ? [] : writtenForms(word) }
  })
}

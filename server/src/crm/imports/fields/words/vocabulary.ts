import { searchForm } from '../../../../kernel/schema/index.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { type HeaderWords, type Meaning, meanings } from './meaning.ts'
import { russian } from './russian.ts'
import { spanish } from './spanish.ts'

/**
 * The languages of headers that imports understand. To add one, write a file like these and list it here. Where a word means different
 * things, the first language decides.
 */
const headerLanguages: readonly HeaderWords[] = [english, german, russian, french, spanish]

/** The words of a text, in the form in which they are compared: `Straße` is `strasse`. */
export function plainWords(text: string): string[] {
  return (
    searchForm(text)
      .replaceAll('ß', 'ss')
      .match(/\p{L}+/gu) ?? []
  )
}

/**
 * What words mean, one after another; null for each that is unknown. Phrases such as `date of birth` and words such as `mobilenumber`, which
 * consist of known words, are understood.
 */
export function meaningsOf(words: readonly string[]): (Meaning | null)[] {
  const found: (Meaning | null)[] = []
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(words, at)
    if (phrase !== undefined) found.push(phrase.meaning)
    else found.push(...(partsOf(words[at] ?? '') ?? [null]))
    at += phrase?.words.length ?? 1
  }
  return found
}

/** Words that have a meaning together. */
interface Phrase {
  readonly words: readonly PhraseWord[]
  readonly meaning: Meaning
}

interface PhraseWord {
  readonly text: string
  /** Whether it may have another ending. */
  readonly isStem: boolean
}

/** The phrases by their first word. */
const phrases = new Map<string, Phrase[]>()
/** Words and phrases, without spaces, that may be part of a longer word. */
const parts = new Map<string, Meaning>()
const longestEnding = 3

for (const words of headerLanguages)
  for (const meaning of meanings)
    for (const listed of words[meaning]?.split(',') ?? [])
      learn({ words: listed.trim().split(/\s+/u).map(phraseWord), meaning })

function phraseWord(listed: string): PhraseWord {
  return { text: plainWords(listed).join(''), isStem: listed.endsWith('*') }
}

function learn(phrase: Phrase): void {
  const first = phrase.words[0]?.text ?? ''
  phrases.set(first, [...(phrases.get(first) ?? []), phrase])
  const joined = phrase.words.map(({ text }) => text).join('')
  if (!parts.has(joined) && !phrase.words.some(({ isStem }) => isStem)) parts.set(joined, phrase.meaning)
}

/** The longest phrase that begins at a word. */
function phraseAt(words: readonly string[], at: number): Phrase | undefined {
  const first = words[at] ?? ''
  const starts = Array.from({ length: longestEnding + 1 }, (_, ending) => first.slice(0, first.length - ending))
  const fitting = starts
    .flatMap(start => phrases.get(start) ?? [])
    .filter(phrase => phrase.words.every((word, offset) => isWord(word, words[at + offset] ?? '')))
  return fitting.reduce<Phrase | undefined>(
    (best, phrase) => (best === undefined || phrase.words.length > best.words.length ? phrase : best),
    undefined,
  )
}

function isWord({ text, isStem }: PhraseWord, word: string): boolean {
  if (word === text || word === `${text}s`) return true
  return isStem && word.startsWith(text) && word.length - text.length <= longestEnding
}

const shortestPart = 3
/** No longer word is taken apart, because that takes quadratic time. */
const longestWord = 40

/** The meanings of the parts of a word, which may have an s between them; null unless it consists of known parts. The fewest parts win. */
function partsOf(word: string): Meaning[] | null {
  if (word.length > longestWord) return null
  const best: (Meaning[] | undefined)[] = [[]]
  for (let end = 1; end <= word.length; end += 1) {
    for (let start = 0; start <= end - 2; start += 1) {
      const before = best[start]
      const meaning = partMeaning(word, start, end)
      if (before === undefined || meaning === undefined) continue
      if (before.length + 1 < (best[end]?.length ?? Number.POSITIVE_INFINITY)) best[end] = [...before, meaning]
    }
    if (word[end - 1] === 's') best[end] ??= best[end - 1]
  }
  return best[word.length] ?? null
}

function partMeaning(word: string, start: number, end: number): Meaning | undefined {
  const part = word.slice(start, end)
  return part.length >= shortestPart || (part === 'id' && end === word.length) ? parts.get(part) : undefined
}

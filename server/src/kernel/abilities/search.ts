import { phoneDigits, searchWords } from '../schema/index.ts'

/**
 * Conditions of the list filter `search`: every word of the text must stand somewhere in the names, or, where contact
 * data is matched too, in the e-mails and phone digits.
 */
export function searchConditions(search: string, withContactData: boolean, bind: (value: unknown) => string): string[] {
  const digits = phoneDigits(search)
  const words = searchWords(search)
  const named = (word: string) => contains('t.search_names', word, bind)
  if (!withContactData) return words.map(named)
  const reached = (text: string) => contains('t.search_contact_data', text, bind)
  // A phone number is one value, however it is spaced.
  if (digits !== null) return [`(${reached(digits)} or (${words.map(named).join(' and ')}))`]
  return words.map(word => `(${named(word)} or ${reached(word)})`)
}

// Whether the trigram indexes can find a word. They need three characters in a row; punctuation counts as the edge of a
// word.
const trigram = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u

// For a text without a trigram, `like` on the index would read all of it, through all organizations. Such a text is
// looked for in the newest records of this organization instead, until the page is full.
function contains(column: string, text: string, bind: (value: unknown) => string): string {
  if (!trigram.test(text)) return `strpos(${column}, ${bind(text)}) > 0`
  return `${column} like ${bind(`%${text.replace(/[\\%_]/gu, character => `\\${character}`)}%`)}`
}

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
  // A phone number is one value however it is spaced.
  if (digits !== null) return [`(${reached(digits)} or (${words.map(named).join(' and ')}))`]
  return words.map(word => `(${named(word)} or ${reached(word)})`)
}

// The trigram indexes know a word by three characters in a row, of which marks count as the edges of words.
const trigram = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u

// Asked for less, as with `like`, an index is read to the end, through all organizations. What it cannot take part in
// is looked for in the newest records of the one organization, until the page is full.
function contains(column: string, text: string, bind: (value: unknown) => string): string {
  if (!trigram.test(text)) return `strpos(${column}, ${bind(text)}) > 0`
  return `${column} like ${bind(`%${text.replace(/[\\%_]/gu, character => `\\${character}`)}%`)}`
}

import { phoneDigits, searchForm } from '../schema/index.ts'

/**
 * Conditions of the list filter `search`: every word of the text must stand somewhere in the names, or, where contact
 * data is matched too, in the e-mails and phone digits. Each word can use the trigram indexes.
 */
export function searchConditions(search: string, withContactData: boolean, bind: (value: unknown) => string): string[] {
  const digits = phoneDigits(search)
  const words = searchForm(search).split(' ')
  const named = (word: string) => `t.search_names like ${bind(containing(word))}`
  if (!withContactData) return words.map(named)
  const reached = (text: string) => `t.search_contact_data like ${bind(containing(text))}`
  // A phone number is one value however it is spaced.
  if (digits !== null) return [`(${reached(digits)} or (${words.map(named).join(' and ')}))`]
  return words.map(word => `(${named(word)} or ${reached(word)})`)
}

function containing(text: string): string {
  return `%${text.replace(/[\\%_]/gu, character => `\\${character}`)}%`
}

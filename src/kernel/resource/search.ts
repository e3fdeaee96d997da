import { phoneDigits, searchForm } from '../schema/index.ts'

/**
 * Conditions of the list filter `search`: every word of the text must stand somewhere in the names, or, for a reader of
 * contact data, in the e-mails and phone digits. The longest word drives the trigram index; the others filter.
 */
export function searchCondition(search: string, withContactData: boolean, bind: (value: unknown) => string): string[] {
  const digits = phoneDigits(search)
  const words = searchForm(search).split(' ')
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one))
  const names = `t.search_names like ${bind(containing(longest))}`
  if (!withContactData) return [names, `t.search_names like all (${bind(words.map(containing))}::text[])`]
  const contactData = `t.search_contact_data like ${bind(containing(digits ?? longest))}`
  const all = `(t.search_names || ' ' || t.search_contact_data) like all (${bind(words.map(containing))}::text[])`
  // A phone number is one value however it is spaced.
  return [`(${names} or ${contactData})`, digits === null ? all : `(${contactData} or ${all})`]
}

function containing(text: string): string {
  return `%${text.replace(/[\\%_]/gu, character => `\\${character}`)}%`
}

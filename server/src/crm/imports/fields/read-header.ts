import type { Meaning } from './words/meaning.ts'
import { meaningsOf, plainWords } from './words/vocabulary.ts'

/** What the name of a column says. */
export interface ReadHeader {
  /** The meanings of its words, in their order, without words that say nothing. */
  readonly meanings: ReadonlySet<Meaning>
  /** Whether all words are known. */
  readonly isUnderstood: boolean
  /** The number among several values, as in `E-mail 2` and `Address 2 - City`; 1 if there is none. */
  readonly number: number
  /** The number among the lines of an address, as in `Street 2`; 1 if there is none. */
  readonly line: number
  /** The words without numbers and marks, with one space between them. */
  readonly words: string
}

/** Longer names say nothing. */
const longest = 200

/** Reads the name of a column in the spellings of exports, such as `FirstName__c`, `contact_first_name`, and `E-mail 1 - Value`. */
export function readHeader(name: string): ReadHeader {
  const pieces = name.length > longest ? [] : piecesOf(name)
  const parts = pieces.flatMap((piece): (Meaning | number | null)[] =>
    /^\d/u.test(piece) ? [Number(piece)] : meaningsOf(plainWords(piece)),
  )
  const meanings = new Set(parts.filter(part => typeof part === 'string').filter(part => part !== 'filler'))
  const lineAt = parts.findIndex((part, at) => typeof part === 'number' && isLine(parts, at, meanings))
  const line = parts[lineAt]
  const number = parts.find((part, at) => typeof part === 'number' && at !== lineAt)
  return {
    meanings,
    isUnderstood: name.length <= longest && !parts.includes(null),
    number: typeof number === 'number' ? number : 1,
    line: typeof line === 'number' ? line : 1,
    words: pieces.flatMap(plainWords).join(' '),
  }
}

/** Whether a header of full names says that the last name comes first, as `ФИО` and `Last Name, First Name` do. */
export function saysLastNameFirst(name: string): boolean {
  const said = [...readHeader(name).meanings]
  const at = (...meanings: readonly Meaning[]) => said.findIndex(meaning => meanings.includes(meaning))
  const [last, first] = [at('last', 'lastName'), at('first', 'firstName', 'given')]
  return said.includes('lastFirstName') || (last !== -1 && last < first)
}

/** Splits a name at numbers and where lower case changes to upper case. The end of a custom field of Salesforce is dropped. */
function piecesOf(name: string): string[] {
  const spaced = name
    .normalize('NFKC')
    .replace(/__(?:c|pc)$/iu, '')
    .replaceAll(/;type=/giu, ' ')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/(\p{Lu})(?=\p{Lu}\p{Ll}{2})/gu, '$1 ')
  return spaced.match(/\d+|\D+/gu) ?? []
}

/** Whether a number is that of a line: it follows the street, or an address of which the header says nothing else. */
function isLine(parts: readonly (Meaning | number | null)[], at: number, meanings: ReadonlySet<Meaning>): boolean {
  const before = parts[at - 1]
  if (before === 'street' || before === 'line') return true
  if (parts.slice(at + 1).some(part => part !== 'filler')) return false
  return (
    meanings.has('street') ||
    meanings.has('line') ||
    (meanings.has('address') && !beyondAddress.some(each => meanings.has(each)))
  )
}

const beyondAddress: readonly Meaning[] = ['email', 'website', 'city', 'region', 'postalCode', 'country', 'extra']

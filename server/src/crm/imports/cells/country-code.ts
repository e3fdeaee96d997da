import { isCountry } from '../../../kernel/schema/index.ts'

/** Codes by the names of countries in the form of `countryName`; null for a name of several countries. */
export type CountryNames = ReadonlyMap<string, string | null>

/** The code of a country by the code itself, in two letters, or by one of these names; null if unknown or ambiguous. */
export function countryCode(text: string, names: CountryNames): string | null {
  const upper = text.toUpperCase()
  if (isCountry(upper)) return upper
  if (text.length > longest) return null
  const plain = text.replace(/\(the\)$/iu, '')
  const [, short = plain] = inverted.exec(plain) ?? []
  return names.get(countryName(plain)) ?? names.get(countryName(short)) ?? null
}

const longest = 100
/** As ISO 3166 sorts them: "Iran (Islamic Republic of)" and "Tanzania, United Republic of". */
const inverted = /^([^,(]+)[,(][\p{L}\s]*(?:republic|state) of\)?$/iu

/** The form in which names are compared: letters alone, without case, accents and a leading "the"; & is the word "and". */
export function countryName(text: string): string {
  const letters = text.normalize('NFD').replace(accents, '').toLowerCase()
  return letters
    .replace(/^\s*the\s/u, '')
    .replaceAll('&', 'and')
    .replace(/[^\p{L}\p{M}]+/gu, '')
}

// Only accents of Latin, Greek and Cyrillic letters: other scripts have vowels as marks.
const accents = /[\u0300-\u036f]/gu

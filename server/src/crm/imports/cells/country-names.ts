import { createRequire } from 'node:module'
import type * as ListedCountries from 'i18n-iso-countries'
import { inSlices } from '../../../kernel/index.ts'
import { countryCodes, isCountry } from '../../../kernel/schema/index.ts'
import { type CountryNames, countryName } from './country-code.ts'
import { knownLanguages } from './known-languages.ts'

type Named = readonly (readonly [name: string, code: string])[]

/** Parts of the United Kingdom, which have no codes; short names of ISO 3166 and other usual names that the lists do not have. */
const others: Named = [
  ['England', 'GB'],
  ['Scotland', 'GB'],
  ['Wales', 'GB'],
  ['Northern Ireland', 'GB'],
  ['Republic of Ireland', 'IE'],
  ['Англия', 'GB'],
  ['Российская Федерация', 'RU'],
  ['Белоруссия', 'BY'],
  ['Южная Корея', 'KR'],
  ['Macedonia', 'MK'],
  ['Vatican', 'VA'],
  ['Holy See', 'VA'],
  ["Korea, Democratic People's Republic of", 'KP'],
  ["Korea, the Democratic People's Republic of", 'KP'],
  ['Congo, Democratic Republic of the', 'CD'],
  ['Congo, the Democratic Republic of the', 'CD'],
  ['United Kingdom of Great Britain and Northern Ireland', 'GB'],
  ['Saint Helena, Ascension and Tristan da Cunha', 'SH'],
  ['DR Congo', 'CD'],
]

let found: Promise<CountryNames> | undefined

/**
 * The names of countries in all languages of the engine, the usual other names in the known languages, and the codes of three letters.
 * Collected once, in 0.5 seconds of which requests get their share, and kept: about 2 MB.
 */
export function countryNames(): Promise<CountryNames> {
  found ??= inSlices(collected())
  return found
}

function* collected(): Generator<undefined, CountryNames> {
  const names = new Map<string, string | null>()
  for (const language of knownLanguages) {
    add(names, [...listedNames(language), ...displayedNames(language, 'short'), ...displayedNames(language, 'long')])
    yield
  }
  add(names, [...codesOfThreeLetters(), ...others])
  // A name in a further language gives way to the same name in a known one.
  const further = new Map<string, string | null>()
  for (const language of Intl.DisplayNames.supportedLocalesOf(possibleLanguages())) {
    add(further, displayedNames(language, 'long'))
    yield
  }
  return new Map([...further, ...names])
}

function add(names: Map<string, string | null>, more: Named): void {
  for (const [text, code] of more) {
    const name = countryName(text)
    const other = names.get(name)
    names.set(name, other === undefined || other === code ? code : null)
  }
}

/** All codes of two letters: the engine knows which of them are languages. Few languages have only a longer code. */
function possibleLanguages(): string[] {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  return letters.flatMap(one => letters.map(two => one + two))
}

function displayedNames(language: string, style: 'long' | 'short'): Named {
  const displayed = new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' })
  return countryCodes.flatMap(code => {
    const name = displayed.of(code)
    return name === undefined ? [] : [[name, code] as const]
  })
}

const load = createRequire(import.meta.url)
/** The package is loaded when it is needed, with no more languages than are. */
const listed = (): typeof ListedCountries => load('i18n-iso-countries/index.js')

/** The short names of ISO 3166 and other usual names. */
function listedNames(language: string): Named {
  const names: ListedCountries.LocaleData = load(`i18n-iso-countries/langs/${language}.json`)
  listed().registerLocale(names)
  const all = Object.entries(listed().getNames(language, { select: 'all' }))
  return all.flatMap(([code, names]) => (isCountry(code) ? names.map(name => [name, code] as const) : []))
}

function codesOfThreeLetters(): Named {
  return Object.entries(listed().getAlpha3Codes()).filter(([, code]) => isCountry(code))
}

import { isCountry } from '../../../kernel/schema/index.ts'

/** The languages in which country names in files are recognized. */
const languages = ['en', 'de', 'ru']
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const common: readonly (readonly [name: string, code: string])[] = [
  ['usa', 'US'],
  ['u.s.a.', 'US'],
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['сша', 'US'],
  ['россия', 'RU'],
  ['russian federation', 'RU'],
  ['российская федерация', 'RU'],
]

let names: ReadonlyMap<string, string> | undefined

/** The code of a country by its name in English, German or Russian, or by the code itself; null if unknown. */
export function countryCode(text: string): string | null {
  const upper = text.toUpperCase()
  if (isCountry(upper)) return upper
  names ??= namesOfCountries()
  return names.get(text.toLowerCase()) ?? null
}

function namesOfCountries(): ReadonlyMap<string, string> {
  const codes = letters.flatMap(one => letters.map(two => one + two)).filter(isCountry)
  const named = languages.flatMap(language => {
    const displayed = new Intl.DisplayNames(language, { type: 'region' })
    return codes.map(code => [displayed.of(code)?.toLowerCase() ?? code, code] as const)
  })
  return new Map([...named, ...common])
}

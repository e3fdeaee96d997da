import { expect, it } from 'vitest'
import { countryCodes } from '../../../kernel/schema/index.ts'
import { countryCode } from './country-code.ts'
import { countryNames } from './country-names.ts'
import { knownLanguages } from './known-languages.ts'

const names = await countryNames()
const codes = (texts: readonly string[]) => texts.map(text => countryCode(text, names))

it('a country is known by its codes and its name in any language, ignoring case, accents and punctuation', () => {
  const japan = ['jp', 'JPN', 'japan', 'Japón', 'japon', 'Япония', '日本', 'Ιαπωνία', 'जापान', 'Nhật Bản']
  expect(codes(japan)).toEqual(japan.map(() => 'JP'))
})

it('a country is known by the usual other names', () => {
  const given = {
    US: ['USA', 'U.S.', 'U.S.A.', 'United States of America', 'EE.UU.', 'EE. UU.', 'США'],
    GB: ['UK', 'U.K.', 'England', 'Scotland', 'Great Britain', 'Großbritannien', 'Англия'],
    CI: ['Ivory Coast', "Cote d'Ivoire", "Côte d'Ivoire", 'Côte d’Ivoire'],
    CZ: ['Czech Republic', 'Czechia'],
    VN: ['Viet Nam', 'Vietnam'],
    NL: ['The Netherlands', 'Netherlands (the)', 'Holland'],
    KR: ['South Korea', 'Korea, Republic of', 'Republic of Korea'],
    HK: ['Hong Kong', 'Hong Kong SAR China'],
    IR: ['Iran (Islamic Republic of)', 'Iran, Islamic Republic of', 'Iran'],
    BA: ['Bosnia & Herzegovina', 'Bosnia and Herzegovina', 'Bosnia-Herzegovina'],
  }
  for (const [code, texts] of Object.entries(given)) expect(codes(texts), code).toEqual(texts.map(() => code))
})

it('a name of several countries is the name of none, and neither is other text', () => {
  expect(codes(['Congo', 'Kongo', 'Virgin Islands', 'Korea', 'Narnia', 'XX', 'EUR', '', 'x'.repeat(32_768)])).toEqual(
    Array.from({ length: 9 }, () => null),
  )
})

it('each name that the engine displays in a known language is the name of its country, or of several', () => {
  const wrong = knownLanguages.flatMap(language => {
    const displayed = new Intl.DisplayNames(language, { type: 'region' })
    return countryCodes.filter(code => ![code, null].includes(countryCode(displayed.of(code) ?? '', names)))
  })
  expect(wrong).toEqual([])
})

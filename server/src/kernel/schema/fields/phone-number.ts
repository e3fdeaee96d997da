import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * A phone number in E.164 form; null if it cannot be understood. A number without a country code is taken for one of this
 * country (ISO 3166-1 alpha-2).
 */
export function toE164(value: string, country: string): string | null {
  const parsed = parsePhoneNumberFromString(value, isSupportedCountry(country) ? country : undefined)
  return parsed?.isPossible() ? parsed.number : null
}

import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { isObject, type JsonObject } from '../json.ts'

/**
 * A phone number in E.164 form; null if it cannot be parsed (contract section 6.1). A number with a country code, after `+` or `00`, must
 * be a possible number. Any other number is read as dialled within these countries (ISO 3166-1 alpha-2), in their order, and belongs to the
 * first one in which it is valid.
 */
export function toE164(value: string, countries: readonly string[]): string | null {
  const text = value.replace(/^[\s(]*00/u, '+')
  const coded = parsePhoneNumberFromString(text)
  if (coded !== undefined) return coded.isPossible() ? coded.number : null
  for (const country of countries) {
    const dialled = isSupportedCountry(country) ? parsePhoneNumberFromString(text, country) : undefined
    if (dialled?.isValid()) return dialled.number
  }
  return null
}

/**
 * The countries for which the phone numbers of a record are parsed: that of its primary address, or else of the first address with a
 * country; then that of the organization.
 */
export function phoneCountries(contactData: unknown, organizationCountry: string): readonly string[] {
  const addresses = isObject(contactData) && Array.isArray(contactData.addresses) ? contactData.addresses : []
  const located = addresses.filter(isObject).filter(({ country }) => typeof country === 'string')
  const { country = null } = located.find(({ isPrimary }) => isPrimary === true) ?? located[0] ?? {}
  return typeof country === 'string' ? [country, organizationCountry] : [organizationCountry]
}

/** Contact data with phone numbers in the E.164 form for these countries; the same object if nothing changes. */
export function withE164<Data extends { readonly phones: readonly JsonObject[] }>(
  contactData: Data,
  countries: readonly string[],
): Data {
  const phones = contactData.phones.map(phone => {
    const e164 = toE164(String(phone.value), countries)
    return e164 === phone.e164 ? phone : { ...phone, e164 }
  })
  return phones.every((phone, index) => phone === contactData.phones[index]) ? contactData : { ...contactData, phones }
}

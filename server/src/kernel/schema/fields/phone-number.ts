import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { isObject, type JsonObject } from '../json.ts'

/**
 * A phone number in E.164 form; null if it cannot be understood (contract section 6.1). A number with its country code, behind `+`
 * or `00`, has to be possible. Any other one is read as it is dialled within these countries (ISO 3166-1 alpha-2), in their order, and
 * belongs to the first one in which it is valid.
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
 * The countries for which the phone numbers of a record are read: that of its primary address, or else of the first address that
 * has one, and then that of the organization.
 */
export function phoneCountries(contactData: unknown, organizationCountry: string): readonly string[] {
  const addresses = isObject(contactData) && Array.isArray(contactData.addresses) ? contactData.addresses : []
  const located = addresses.filter(isObject).filter(({ country }) => typeof country === 'string')
  const { country = null } = located.find(({ isPrimary }) => isPrimary === true) ?? located[0] ?? {}
  return typeof country === 'string' ? [country, organizationCountry] : [organizationCountry]
}

/**
 * Contact data whose phone numbers are in E.164 form as these countries have them; the same object where they are already.
 */
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

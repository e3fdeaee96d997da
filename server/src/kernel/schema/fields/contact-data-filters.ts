import { isEmail } from '../email.ts'
import { type FieldFilter, type FieldFilters, frequencies } from '../filter.ts'
import { codePoints, phoneDigits, phoneWord, searchForm, tidyText } from '../text.ts'
import { toE164 } from './phone-number.ts'

/** SQL of the e-mail addresses and phone numbers of `t`, each as one word, as the index of whole words has them. */
export const wordsOfContactData = `string_to_array(t.search_contact_data, ' ')`

const longestEmail = 254
const longestPhone = 40

/** An e-mail address, compared without case. The index finds its words without accents; the stored address decides. */
const email: FieldFilter = {
  description: 'With this e-mail address, in upper or lower case',
  schema: { type: 'string', format: 'email', maxLength: longestEmail },
  form: 'an e-mail address',
  example: 'anna.petrova@example.com',
  takesSeveral: true,
  frequency: frequencies.email,
  parse(text) {
    const address = tidyText(text)
    return isEmail(address) && codePoints(address) <= longestEmail ? address : undefined
  },
  condition(column, values, { bind }) {
    const addresses = values.map(String)
    const words = addresses.flatMap(address => searchForm(address).split(' '))
    return `(${wordsOfContactData} && ${bind(words)}::text[] and exists (
        select 1 from jsonb_array_elements(${column} -> 'emails') as e(item)
         where lower(e.item ->> 'value') = any(${bind(addresses.map(address => address.toLowerCase()))}::text[])))`
  },
}

/**
 * A phone number. If it is a number of the organization's country or has a country code, its E.164 form decides; otherwise its digits, as
 * typed or in E.164 form.
 */
const phone: FieldFilter = {
  description:
    'With this phone number, however it is written; without a country code, as dialled in the country of the organization',
  schema: { type: 'string', minLength: 3, maxLength: longestPhone },
  form: `3 to ${longestPhone} characters`,
  example: '+1 202 555 0143',
  takesSeveral: true,
  frequency: frequencies.phone,
  parse(text) {
    const number = tidyText(text)
    const length = codePoints(number)
    return length >= 3 && length <= longestPhone ? number : undefined
  },
  condition(column, values, { organization, bind }) {
    const numbers = values.map(value => ({ text: String(value), e164: toE164(String(value), [organization.country]) }))
    const parsed = numbers.flatMap(({ e164 }) => e164 ?? [])
    const others = numbers.flatMap(({ text, e164 }) => (e164 === null ? phoneWord(text) : []))
    const words = [...parsed.flatMap(number => phoneDigits(number) ?? []), ...others]
    const has = (some: readonly string[]) => `${wordsOfContactData} && ${bind(some)}::text[]`
    if (parsed.length === 0) return has(others)
    const exactly = `exists (
        select 1 from jsonb_array_elements(${column} -> 'phones') as p(item)
         where p.item ->> 'e164' = any(${bind(parsed)}::text[]))`
    return `(${has(words)} and (${exactly}${others.length === 0 ? '' : ` or ${has(others)}`}))`
  },
}

/** Lists choose records by their e-mail addresses and phone numbers. */
export const contactDataFilters: FieldFilters = { email, phone }

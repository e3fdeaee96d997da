import { describe, expect, it } from 'vitest'
import { phoneCountries, toE164 } from './phone-number.ts'

describe('a number with its country code', () => {
  it.each([
    ['+49 30 1234567', '+49301234567'],
    ['0049 30 1234567', '+49301234567'],
    ['(0049) 30/1234567', '+49301234567'],
    ['+1 202 555 0143', '+12025550143'],
    // Possible, though nobody has it.
    ['+1 030 123 4567', '+10301234567'],
  ])('%s is normalised in every country', (text, e164) => {
    for (const country of ['DE', 'US', 'RU', 'XX']) expect(toE164(text, [country])).toBe(e164)
  })

  it.each(['+49 30 1', '00 49 30 1', '+999 123456'])('%s is not understood, because it is not possible', text => {
    expect(toE164(text, ['DE', 'US'])).toBeNull()
  })
})

describe('a number without one', () => {
  it.each([
    ['030/1234567', 'DE', '+49301234567'],
    ['(0)30 1234567', 'DE', '+49301234567'],
    ['49301234567', 'DE', '+49301234567'],
    ['8 (900) 123-45-67', 'RU', '+79001234567'],
    ['(202) 555-0143', 'US', '+12025550143'],
    ['011 49 30 1234567', 'US', '+49301234567'],
  ])('%s is read as it is dialled in %s', (text, country, e164) => {
    expect(toE164(text, [country])).toBe(e164)
  })

  it.each([
    ['030/1234567', 'US'],
    ['030 1234567', 'AT'],
    ['12345', 'DE'],
    ['ext. 12', 'US'],
    ['030 1234567', 'XX'],
  ])('%s is not understood in %s, where it is not valid', (text, country) => {
    expect(toE164(text, [country])).toBeNull()
  })

  it('belongs to the first country in which it is valid', () => {
    expect(toE164('030 1234567', ['US', 'DE'])).toBe('+49301234567')
    expect(toE164('030 1234567', ['DE', 'US'])).toBe('+49301234567')
    expect(toE164('(202) 555-0143', ['US', 'DE'])).toBe('+12025550143')
  })
})

describe('the countries of the numbers of a record', () => {
  it.each([
    [[], ['US']],
    [[{ country: null, isPrimary: true }], ['US']],
    [[{ country: 'DE', isPrimary: true }], ['DE', 'US']],
    [
      [
        { country: 'AT', isPrimary: false },
        { country: 'DE', isPrimary: true },
      ],
      ['DE', 'US'],
    ],
    [
      [
        { country: null, isPrimary: true },
        { country: 'AT', isPrimary: false },
      ],
      ['AT', 'US'],
    ],
  ])('with the addresses %j are %j', (addresses, countries) => {
    expect(phoneCountries({ addresses }, 'US')).toEqual(countries)
  })

  it('are that of the organization where there is no contact data', () => {
    expect(phoneCountries(undefined, 'DE')).toEqual(['DE'])
  })
})

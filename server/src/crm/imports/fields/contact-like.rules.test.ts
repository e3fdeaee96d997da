import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looksLikeContactData } from './contact-like.rules.ts'

describe('a text of a file that is hidden as contact data', () => {
  it.each([
    'anna@example.com',
    'Ann <a@x.example>',
    'a@x.example, b@x.example',
    'a@x.example;b@x.example',
    'write to anna@example.com please',
    'mailto:anna@example.com',
    'https://x.example/?to=anna%40example.com',
    'ａｎｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ',
    'anna ＠ example.com',
    'an\u00adna\u200b@\u200bexample.com',
    'anna (at) example.com',
    'anna[at]example.com',
    'анна@пример.рф',
    'anna@localhost',
    '@anna_petrova',
    'https://t.me/@anna',
  ])('is an address, as %j', text => {
    expect(looksLikeContactData(text)).toBe(true)
  })

  it.each([
    '+49 30 1234567',
    '+493012345678',
    '＋４９ ３０ １２３４５６７',
    '+1 (202) 555-0143',
    '(202) 555-0143',
    '202-555-0143',
    '202.555.0143',
    '202*555*0143',
    '202\u20113555\u20110143',
    '2025550143',
    '79161234567',
    '79161234567.0',
    '7.9161234567E+10',
    '0049 30 1234567',
    '030 1234567',
    '0171/1234567',
    '0171.1234567',
    '01711234567',
    '030123456',
    '8 (916) 123-45-67',
    '8 (3412) 12-10-20',
    '+7 3412 12-10-20',
    '12 34 56 78',
    '601 234 567',
    '48 601 234 567',
    '555-0143',
    'Tel. 5550143',
    'тел: 1234567',
    'Tel:030 1234567',
    'mob601234567',
    'Büro-030 1234567',
    'call 2025550143 after six',
    '2025550143x12',
    '030 1234567, 0171 1234567',
    '030 1234567 0171 1234567',
    'Anna 01.02.2024 555-0143',
    '٠٣٠ ١٢٣٤٥٦٧',
    '+٤٩٣٠١٢٣٤٥٦٧',
    '2\u200b0\u200b2\u200b5\u200b5\u200b5\u200b0\u200b1\u200b4\u200b3',
    'unknown, or +49 30 1234567',
  ])('is a phone number, as %j', text => {
    expect(looksLikeContactData(text)).toBe(true)
  })
})

describe('a text of a file that is shown', () => {
  it.each([
    '2024-01-31',
    '31.01.2024',
    '1/31/2024',
    '31/01/24',
    '2024-01-31T10:30:00Z',
    '2024-01-31T10:30:00.123+02:00',
    '2024-01-31 10:30:00.123456',
    '31.01.2024 10:30',
    '2024-01-01 - 2024-12-31',
    '01.02.2024-03.04.2024',
    '10:30:00 - 12:30:00',
    '2019-2024',
    '2023/2024',
    '20240131',
    '20240131235959',
    'from 2024-01-31 to 2024-02-29',
  ])('is a date or a time, as %j', text => {
    expect(looksLikeContactData(text)).toBe(false)
  })

  it.each([
    '12',
    '-1234567',
    '1234567.89',
    '1234567,89',
    '1,234,567.89',
    '1.234.567,89',
    '1 234 567,89',
    '1 250 000',
    '12\u00a0345\u00a0678',
    "1'234'567.89",
    '125 000 000,00',
    '125 000 000 ₽',
    '1 250 000 000 руб.',
    '€ 601.234.567',
    'EUR 1250000000',
    'USD 125 000 000',
    '1250000000.00 EUR',
    '(1234567.89)',
    '3 @ 5.00',
    '52.52000659999999',
    '0.12345678',
    '99.5 %',
  ])('is an amount, as %j', text => {
    expect(looksLikeContactData(text)).toBe(false)
  })

  it.each([
    '1234567',
    '123456789',
    '00012345678',
    '01067',
    'INV-2024-00123',
    '2024-00123',
    'ORD00012345678',
    'DE123456789',
    '#1234567890',
    '4711-AB',
    '12345678901234567890',
    '12345678-1234-4123-8123-123456789012',
    '3FA85F64-5717-4562-B3FC-2C963F66AFA6',
    '5d41402abc4b2a76b9719d911017c592',
  ])('is an id, as %j', text => {
    expect(looksLikeContactData(text)).toBe(false)
  })

  it.each([
    '',
    'unbekannt',
    'Anna Petrova',
    'E-Mail',
    'Telefon',
    'Hauptstraße 12, 10115 Berlin',
    'https://x.example/a',
    'at 5',
  ])('is another text, as %j', text => {
    expect(looksLikeContactData(text)).toBe(false)
  })
})

it('a text that is longer than any sample is hidden unread', () => {
  expect(['x'.repeat(500), 'x'.repeat(501)].map(looksLikeContactData)).toEqual([false, true])
})

it('an address or a number with a country is found in any text around it', () => {
  const others = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(others, others, fc.constantFrom('anna@example.com', '+49 30 1234567'), (before, behind, found) => {
      expect(looksLikeContactData(`${before} ${found} ${behind}`)).toBe(true)
    }),
  )
})

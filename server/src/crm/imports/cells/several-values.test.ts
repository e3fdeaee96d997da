import { expect, it } from 'vitest'
import { emailsIn, mostInCell, phonesIn } from './several-values.ts'

it.each([
  ['a@b.com', ['a@b.com']],
  ['a@b.com; c@d.com', ['a@b.com', 'c@d.com']],
  ['a@b.com,c@d.com | e@f.org\ng@h.net i@j.de', ['a@b.com', 'c@d.com', 'e@f.org', 'g@h.net', 'i@j.de']],
  ['Ann <a@b.com>', ['a@b.com']],
  ['Smith, Ann <a@b.com>, "Jones; Bob" <c@d.com>', ['a@b.com', 'c@d.com']],
  ['mailto:a@b.com', ['a@b.com']],
  ['MAILTO:a@b.com?subject=Hi', ['a@b.com']],
  ['["a@b.com","Bob <c@d.com>"]', ['a@b.com', 'c@d.com']],
  ['a@b.com; A@B.com;', ['a@b.com']],
  ['"a b"@c.com', ['"a b"@c.com']],
])('the addresses in %j are %j', (text, addresses) => {
  expect(emailsIn(text)).toEqual(addresses)
})

it.each(['nobody', 'a@b.com, nobody', 'Ann, a@b.com', '[]', '[1]', '["a@b.com"', 'a@b.com; c@', '<>', '; ,'])(
  'a cell with anything else, such as %j, is one value',
  text => {
    expect(emailsIn(text)).toEqual([text])
  },
)

it.each([
  ['+1 202 555 0143', ['+1 202 555 0143']],
  ['+1 202 555 0143; +1 202 555 0144', ['+1 202 555 0143', '+1 202 555 0144']],
  ['(202) 555-0143, (202) 555-0144', ['(202) 555-0143', '(202) 555-0144']],
  ['+12025550143\r\n+12025550144', ['+12025550143', '+12025550144']],
  ['["+12025550143", 12025550144]', ['+12025550143', '12025550144']],
  ['030/1234567', ['030/1234567']],
  ['+49 33056/1234567', ['+49 33056/1234567']],
  ['+49 (0)30 / 123456', ['+49 (0)30 / 123456']],
  ['030/1234567 / 0171/7654321', ['030/1234567', '0171/7654321']],
  ['0301234567/01717654321', ['0301234567', '01717654321']],
  ['202-555-0143/202-555-0144', ['202-555-0143', '202-555-0144']],
  ['030 1234567/68', ['030 1234567/68']],
  ['+1 202 555 0143 x12, +1 202 555 0144', ['+1 202 555 0143 x12', '+1 202 555 0144']],
  ['+1 202 555 0143, ext. 12', ['+1 202 555 0143 ext. 12']],
  ['+1 202 555 0143;ext=12', ['+1 202 555 0143;ext=12']],
  ['+1 202 555 0143,,12', ['+1 202 555 0143,,12']],
  ['office: 030 1234567, mobile: 0171 7654321', ['office: 030 1234567, mobile: 0171 7654321']],
  ['+12025550143; +1 202 555 0143', ['+12025550143']],
])('the phone numbers in %j are %j', (text, numbers) => {
  expect(phonesIn(text)).toEqual(numbers)
})

it('at most one value more than a record has is read from a cell', () => {
  const addresses = Array.from({ length: 5000 }, (_, index) => `a${index}@b.c`)
  expect(emailsIn(addresses.join(';'))).toHaveLength(mostInCell + 1)
  expect(
    phonesIn(
      addresses
        .map((_, index) => `+1202555${1000 + index}`)
        .slice(0, 40)
        .join('\n'),
    ),
  ).toHaveLength(mostInCell + 1)
})

it('a cell that is longer than all phone numbers of a record is one value', () => {
  const text = '1/'.repeat(16_384)
  expect(phonesIn(text)).toEqual([text])
})

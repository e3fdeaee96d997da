import { expect, test } from 'vitest'
import { readAccounts } from './accounts.ts'
import { readAgents } from './agents.ts'

const header = 'account,sector,year_established,revenue,employees,office_location,subsidiary_of'

function read(...lines: string[]) {
  return readAccounts([header, ...lines, ''].join('\r\n'))
}

test('an account becomes a company with a mended sector and a country code', () => {
  expect(read('Bluth Company,technolgy,1993,1242.32,3027,Philipines,Acme Corporation')).toEqual([
    {
      externalId: 'Bluth Company',
      name: 'Bluth Company',
      industry: 'technology',
      employeesCount: 3027,
      description: 'Founded in 1993. Revenue 1242.32. Subsidiary of Acme Corporation.',
      contactData: { addresses: [{ country: 'PH' }] },
    },
  ])
})

test('members that an account lacks stay empty', () => {
  expect(read('dambase,,,,,,')).toEqual([
    {
      externalId: 'dambase',
      name: 'dambase',
      industry: null,
      employeesCount: null,
      description: null,
      contactData: { addresses: [] },
    },
  ])
})

test.each([
  ['Isdom,medical,2002,3178.24,many,Japan,', 'employees "many" is not a whole number'],
  ['Isdom,medical,2002,3178.24,4540,Atlantis,', 'no country code is known for "Atlantis"'],
  ['Acme,medical,2002,3178.24,4540,Japan,', 'account Acme occurs twice'],
])('the row %s is refused, and the refusal names its number', (line, reason) => {
  expect(() => read('Acme,retail,1996,1100.04,2822,Japan,', line)).toThrow(`accounts.csv row 3: ${reason}`)
})

test('the address of an agent follows from the name', () => {
  expect(readAgents('sales_agent,manager\r\nMei-Mei Johns,Melvin Marxen\r\nZoë Ann Levy,Cara Losch\r\n')).toEqual([
    { name: 'Mei-Mei Johns', email: 'mei-mei.johns@example.com' },
    { name: 'Zoë Ann Levy', email: 'zoe.ann.levy@example.com' },
  ])
})

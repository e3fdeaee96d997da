import { type Row, readNames, readTable } from './table.ts'

const mendedSectors = new Map([['technolgy', 'technology']])

/** ISO 3166-1 codes of the country names, in the spelling of the file. */
const countryCodes = new Map([
  ['Belgium', 'BE'],
  ['Brazil', 'BR'],
  ['China', 'CN'],
  ['Germany', 'DE'],
  ['Italy', 'IT'],
  ['Japan', 'JP'],
  ['Jordan', 'JO'],
  ['Kenya', 'KE'],
  ['Korea', 'KR'],
  ['Norway', 'NO'],
  ['Panama', 'PA'],
  ['Philipines', 'PH'],
  ['Poland', 'PL'],
  ['Romania', 'RO'],
  ['United States', 'US'],
])

export function readAccounts(text: string): Company[] {
  const rows = readTable('accounts.csv', text)
  readNames(rows, 'account')
  return rows.map(readCompany)
}

/** The body of `companies.upsert`. */
export type Company = ReturnType<typeof readCompany>

function readCompany(row: Row) {
  const name = row.required('account')
  const sector = row.optional('sector')
  const country = readCountry(row)
  return {
    externalId: name,
    name,
    industry: sector && (mendedSectors.get(sector) ?? sector),
    employeesCount: readEmployees(row),
    description: describe(row),
    contactData: { addresses: country ? [{ country }] : [] },
  }
}

function readEmployees(row: Row): number | null {
  const employees = row.optional('employees')
  if (employees === null) return null
  if (!/^\d{1,8}$/.test(employees)) row.refuse(`employees "${employees}" is not a whole number`)
  return Number(employees)
}

function readCountry(row: Row): string | null {
  const name = row.optional('office_location')
  if (name === null) return null
  return countryCodes.get(name) ?? row.refuse(`no country code is known for "${name}"`)
}

/** Values for which the CRM has no field stay readable. */
function describe(row: Row): string | null {
  const founded = row.optional('year_established')
  const revenue = row.optional('revenue')
  const parent = row.optional('subsidiary_of')
  const sentences = [
    founded && `Founded in ${founded}.`,
    revenue && `Revenue ${revenue}.`,
    parent && `Subsidiary of ${parent}.`,
  ]
  return sentences.filter(Boolean).join(' ') || null
}

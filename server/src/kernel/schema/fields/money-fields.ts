import type { Issue } from '../../errors/index.ts'
import { type Column, type ColumnContext, labelOf, parserOf } from '../column.ts'
import type { OrganizationSettings } from '../configuration.ts'
import type { Field } from '../field.ts'
import { decimalOfNumber, decimalPattern, formatMoney, minimalDecimal } from '../money.ts'
import { sumPattern } from './decimal.ts'

const nonNegative = decimalPattern.replace('-?', '')
const shownForm = { type: ['string', 'null'], pattern: nonNegative }
const expectation =
  'A decimal string such as "1500.00" is expected, not negative, with at most 15 digits before the point and 6 behind ' +
  'it; a JSON number only where it has at most 15 digits in all'

/**
 * A sum of money in the record's currency: a decimal string or null. A JSON number is accepted if it cannot have lost
 * digits. The rules of the resource check whether the digits fit the currency.
 */
export function optionalAmount(description: string): Field<string | null> {
  return {
    column: 'numeric',
    // Numbers are accepted but not documented: clients would have two types for one value.
    input: { type: ['string', 'number', 'null'], pattern: nonNegative, documented: shownForm },
    output: { '': shownForm },
    projection: 'amounts',
    writeScope: 'crm_amounts_write',
    description,
    example: '1500.00',
    initial: null,
    tidy: value => exactText(value) ?? value,
    inspect: wrongNumber,
    explain: () => expectation,
    accept: value => (value === null || value === undefined ? null : minimalDecimal(String(value))),
    present: (value, record, { organization }) => ({ '': shownAmount(value, record, organization) }),
    columns: amountColumn,
  }
}

/** A sum that the server computes; zero if there is nothing to sum. */
export function computedAmount(description: string): Field<string> {
  return {
    column: 'numeric',
    output: { '': { type: 'string', pattern: sumPattern } },
    projection: 'amounts',
    description,
    example: '0.00',
    initial: '0',
    present: (value, record, { organization }) => ({ '': formatMoney(value, currencyOf(record, organization)) }),
    columns: amountColumn,
  }
}

/** JSON Schemas of a currency. Only those of answers have an example: an organization may not have enabled it, and has a default. */
export const currencySchemas = {
  input: { type: ['string', 'null'], format: 'currency' },
  output: { '': { type: ['string', 'null'], format: 'currency', example: 'USD' } },
}

/** An ISO 4217 code or null. The rules of the resource check whether the organization has enabled it. */
export function optionalCurrency(): Field<string | null> {
  return {
    column: 'text',
    ...currencySchemas,
    writeScope: 'crm_amounts_write',
    description:
      'ISO 4217 code, one of organization.currencies of /capabilities. An amount without one is in organization.defaultCurrency.',
    initial: null,
  }
}

interface Priced {
  readonly currency?: unknown
}

/**
 * An amount as answers show it, with the digits of the record's currency, or of the organization's if the record has
 * none.
 */
export function shownAmount(value: string | null, record: Priced, organization: OrganizationSettings): string | null {
  return value === null ? null : formatMoney(value, currencyOf(record, organization))
}

/** The currency of a record's amounts: its own, or that of the organization. */
export function currencyOf({ currency }: Priced, { defaultCurrency }: OrganizationSettings): string {
  return typeof currency === 'string' ? currency : defaultCurrency
}

function amountColumn(name: string, { configuration }: ColumnContext): Column<string | null>[] {
  const text = (value: string | null, record: Priced) => shownAmount(value, record, configuration.organization) ?? ''
  return [{ key: name, label: labelOf(name), type: 'decimal', path: [], text, parse: parserOf('decimal') }]
}

/** The decimal string of a number; null if the number may have lost digits, is negative, or is not a number. */
function exactText(value: unknown): string | null {
  const decimal = typeof value === 'number' ? decimalOfNumber(value) : null
  return decimal === null || decimal.startsWith('-') ? null : decimal
}

/** Issues of a number that cannot be converted to a decimal string. */
function wrongNumber(value: unknown, path: string): Issue[] {
  return typeof value === 'number' ? [{ path, rule: 'decimal', message: expectation }] : []
}

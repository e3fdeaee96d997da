import { defineResource } from '../kernel/index.ts'
import { computed, isCurrency } from '../kernel/schema/index.ts'
import { organizationFeed } from '../kernel/write/index.ts'
import { flag, name, text, texts, word } from './fields.ts'
import { organizationRules } from './setting.rules.ts'

/** Who uses the product. Its version is that of everything it has configured. */
export const organization = defineResource({
  kind: 'organization',
  plural: 'organizations',
  title: 'Organization',
  scopes: null,
  headColumns: { version: 'directory_version' },
  isTenant: true,
  fields: {
    name: name('the name of an organization'),
    timeZone: {
      ...text('UTC', isTimeZone, zone => `"${zone}" is no time zone: write one such as Europe/Berlin`),
      tidy: inKnownCase,
    },
    defaultCurrency: { ...text('USD', isCurrency, noCurrency), createOnly: true },
    currencies: texts(isCurrency, noCurrency),
    locale: computed('en', { column: 'text', schema: { type: 'string' } }),
    country: computed('US', { column: 'text', schema: { type: 'string' } }),
    crmProvider: word('the provider', ['built_in', 'external'], 'built_in'),
    sandbox: { ...flag(false), createOnly: true },
    demo: computed(false, { column: 'boolean', schema: { type: 'boolean' } }),
  },
  rules: {
    ...organizationRules,
    sideRows: before =>
      before === null ? [{ table: organizationFeed, operation: 'insert', row: { seq: 0 } } as const] : [],
  },
})

function noCurrency(currency: string): string {
  return `"${currency}" is no ISO 4217 currency code such as USD`
}

// Newer engines also take offsets such as +01:00, which are no time zones of the IANA database.
function isTimeZone(zone: string): boolean {
  return /^[A-Za-z]/u.test(zone) && canonicalZone(zone) !== null
}

/** Only letter case is put right: an alias stays what was asked for. */
function inKnownCase(value: unknown): unknown {
  const zone = typeof value === 'string' ? canonicalZone(value) : null
  return zone?.toLowerCase() === String(value).toLowerCase() ? zone : value
}

function canonicalZone(zone: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

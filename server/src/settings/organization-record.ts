import { bounds, defineResource } from '../kernel/index.ts'
import {
  canonicalLanguageTag,
  computed,
  counted,
  inKnownCase,
  isCountry,
  isCurrency,
  isLanguageTag,
  isTimeZone,
} from '../kernel/schema/index.ts'
import { organizationFeed } from '../kernel/write/index.ts'
import { bytes, flag, name, text, texts, word } from './fields.ts'
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
    locale: {
      ...text('en', isLanguageTag, tag => `"${tag}" is no language tag such as de or pt-BR`),
      tidy: canonicalLanguageTag,
    },
    country: {
      ...text('US', isCountry, country => `"${country}" is no ISO 3166-1 country code such as DE`),
      tidy: inUpperCase,
    },
    crmProvider: word('the provider', ['built_in', 'external'], 'built_in'),
    fileQuotaBytes: bytes('the quota of files', 'file_quota_bytes', bounds.organizationFileBytes.most),
    fileBytes: counted(0, {
      select: '(select f.file_bytes::double precision from organization_feed f where f.organization_id = t.id)',
      schema: { type: 'integer', minimum: 0 },
    }),
    readOnly: flag(false),
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

function inUpperCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase() : value
}

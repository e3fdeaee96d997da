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
  type JsonObject,
} from '../kernel/schema/index.ts'
import { organizationFeed } from '../kernel/write/index.ts'
import { bytes, type InputOf, name, text, texts, word, yesOrNo } from './fields.ts'

const timeZone = {
  isValid: isTimeZone,
  reason: (zone: string) => `"${zone}" is no time zone: write one such as Europe/Berlin`,
}
const currency = {
  isValid: isCurrency,
  reason: (code: string) => `"${code}" is no ISO 4217 currency code such as USD`,
}
const locale = {
  isValid: isLanguageTag,
  reason: (tag: string) => `"${tag}" is no language tag such as de or pt-BR`,
}
const country = {
  isValid: isCountry,
  reason: (code: string) => `"${code}" is no ISO 3166-1 country code such as DE`,
}

interface State {
  readonly defaultCurrency: string
  readonly currencies: readonly string[]
}

interface Context<S> {
  readonly previous: S | null
  readonly input: JsonObject
}

export const organizationRules = {
  /** The default currency applies to amounts without a currency, so it stays enabled, as the first one. */
  settle<S extends State>(next: S, { previous, input }: Context<S>): S {
    const { defaultCurrency, currencies } = next
    if (previous !== null && input.currencies === undefined) return next
    return { ...next, currencies: [defaultCurrency, ...currencies.filter(currency => currency !== defaultCurrency)] }
  },
}

const fields = {
  name: name('the name of an organization', { help: 'its name' }),
  timeZone: {
    ...text('UTC', timeZone, { option: 'time-zone <zone>', help: 'IANA time zone' }),
    tidy: inKnownCase,
  },
  defaultCurrency: {
    ...text('USD', currency, { option: 'currency <code>', help: 'default currency' }),
    createOnly: true,
  },
  currencies: texts(currency, {
    option: 'currencies <codes>',
    help: 'enabled currencies, such as USD,EUR; the default currency always is',
  }),
  locale: {
    ...text('en', locale, { option: 'locale <tag>', help: 'language tag, such as de' }),
    tidy: canonicalLanguageTag,
  },
  country: {
    ...text('US', country, {
      option: 'country <code>',
      help: 'country of phone numbers without a country code, such as DE; a change normalises them anew',
    }),
    tidy: (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value),
  },
  crmProvider: word('the provider', ['built_in', 'external'], 'built_in', {
    option: 'provider <provider>',
    help: 'who keeps the CRM data',
  }),
  fileQuotaBytes: bytes('the quota of files', 'file_quota_bytes', bounds.organizationFileBytes.most, {
    label: 'Quota of files',
    option: 'quota <size>',
    help: 'how much its files may be in all, such as 40GiB',
    by: 'operator',
  }),
  fileBytes: counted(0, {
    select: '(select f.file_bytes::double precision from organization_feed f where f.organization_id = $1)',
    schema: { type: 'integer', minimum: 0 },
  }),
  readOnly: {
    ...yesOrNo(false, {
      yes: { option: 'read-only', help: 'refuse its writes with 503, and let its jobs wait' },
      no: { option: 'writable', help: 'take its writes again' },
      by: 'operator',
    }),
    patchOnly: true,
  },
  membersSeeContactData: yesOrNo(true, {
    yes: { option: 'members-see-contact-data', help: 'show e-mail addresses and phone numbers to all members' },
    no: { option: 'members-see-no-contact-data', help: 'show them to owners and managers only' },
  }),
  membersSeeAmounts: yesOrNo(true, {
    yes: { option: 'members-see-amounts', help: 'show amounts of deals to all members' },
    no: { option: 'members-see-no-amounts', help: 'show them to owners and managers only' },
  }),
  managersManageIntegrations: yesOrNo(false, {
    yes: { option: 'managers-manage-integrations', help: 'let managers administer applications, tokens and webhooks' },
    no: { option: 'owners-manage-integrations', help: 'let owners only administer them' },
  }),
  secondFactorRequired: yesOrNo(false, {
    yes: { option: 'second-factor-required', help: 'members sign in with a second factor' },
    no: { option: 'second-factor-optional', help: 'members choose whether they have a second factor' },
  }),
  sandbox: {
    ...yesOrNo(false, {
      yes: { option: 'sandbox', help: 'for trials: its tokens begin with crm_test_' },
      by: 'operator',
    }),
    createOnly: true,
  },
  demo: computed(false, { column: 'boolean', schema: { type: 'boolean' } }),
}

/** The input of an organization. */
export type OrganizationInput = InputOf<typeof fields>

/** A customer of the installation. Its version covers its whole configuration. */
export const organization = defineResource({
  kind: 'organization',
  plural: 'organizations',
  title: 'Organization',
  scopes: null,
  headColumns: { version: 'directory_version' },
  fields,
  rules: {
    ...organizationRules,
    sideRows: before =>
      before === null ? [{ table: organizationFeed, operation: 'insert', row: { seq: 0 } } as const] : [],
  },
})

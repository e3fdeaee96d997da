import { violates } from '../../errors/index.ts'
import type { Field } from '../field.ts'
import type { JsonSchema } from '../json.ts'
import { canonicalLanguageTag } from '../language-tag.ts'
import { decimalPattern, formatPrice, minimalDecimal } from '../money.ts'
import { tidyText, visiblePattern } from '../text.ts'
import { currencyOf, currencySchemas } from './money-fields.ts'

/** An ISO 4217 code that the organization has enabled, or null; 422 otherwise. A stored code may stay after it was disabled. */
export function enabledCurrency(description: string): Field<string | null> {
  return {
    column: 'text',
    ...currencySchemas,
    description,
    initial: null,
    accept(value, previous, { configuration, path }) {
      if (typeof value !== 'string') return null
      if (value === previous || configuration.organization.currencies.includes(value)) return value
      return violates(
        path,
        'currency',
        'Not a currency of the organization: see organization.currencies of /capabilities',
      )
    },
  }
}

const pricePattern = decimalPattern.replace('-?', '')
const priceSchema = { type: ['string', 'null'], pattern: pricePattern }

interface PriceOptions {
  readonly description: string
  readonly example: string
}

/** A price in the record's currency, a non-negative decimal string, or null. It is never rounded. */
export function optionalPrice({ description, example }: PriceOptions): Field<string | null> {
  return {
    column: 'numeric',
    input: priceSchema,
    description,
    example,
    initial: null,
    accept: value => (typeof value === 'string' ? minimalDecimal(value) : null),
    present: (value, record, { organization }) => ({
      '': value === null ? null : formatPrice(value, currencyOf(record, organization)),
    }),
  }
}

/** An absolute http(s) address, or null. */
export function optionalWebAddress({ example }: { readonly example: string }): Field<string | null> {
  return {
    column: 'text',
    input: { type: ['string', 'null'], format: 'web-address', maxLength: 2048 },
    example,
    initial: null,
    tidy: value => (typeof value === 'string' ? value.trim() || null : value),
  }
}

interface TextMapOptions {
  /** The most members. */
  readonly most: number
  /** The most characters of a name, and of a text. */
  readonly maxName: number
  readonly maxText: number
  readonly description: string
  readonly example: Readonly<Record<string, string>>
}

/** Texts by names that the client chooses; a request replaces all of them. */
export function textMap({
  most,
  maxName,
  maxText,
  description,
  example,
}: TextMapOptions): Field<Readonly<Record<string, string>>> {
  const schema: JsonSchema = {
    type: 'object',
    maxProperties: most,
    propertyNames: { type: 'string', minLength: 1, maxLength: maxName },
    additionalProperties: { type: 'string', maxLength: maxText },
  }
  return { column: 'jsonb', input: schema, description, example, initial: {} }
}

interface LongTextOptions {
  readonly max: number
  readonly description: string
  readonly example: string
}

/** A text that must not be blank, and keeps its outer white space. */
export function longText({ max, description, example }: LongTextOptions): Field<string> {
  return {
    column: 'text',
    freeText: true,
    input: { type: 'string', minLength: 1, maxLength: max, documented: { pattern: visiblePattern } },
    requiredOnCreate: true,
    description,
    example,
    initial: '',
    tidy: value => (typeof value !== 'string' ? value : tidyText(value) === '' ? '' : value.normalize('NFC')),
  }
}

/** A BCP 47 language tag in its canonical form: `pt-BR`. '' in a new record until the rules set it. */
export function languageTag(description: string): Field<string> {
  return {
    column: 'text',
    input: { type: 'string', format: 'language-tag', maxLength: 35 },
    output: { '': { type: 'string' } },
    description,
    example: 'en',
    initial: '',
    tidy: canonicalLanguageTag,
  }
}

/** Yes or no. */
export function flag(initial: boolean, description: string): Field<boolean> {
  return { column: 'boolean', input: { type: 'boolean' }, description, initial }
}

interface MaskedOptions {
  readonly max: number
  readonly description: string
  readonly example: string
}

/** A text, or null. Answers show only its end. */
export function maskedText({ max, description, example }: MaskedOptions): Field<string | null> {
  return {
    column: 'text',
    input: { type: ['string', 'null'], minLength: 1, maxLength: max },
    description,
    example,
    initial: null,
    tidy: value => (typeof value === 'string' ? tidyText(value) || null : value),
    present: value => ({ '': value === null ? null : masked(value) }),
  }
}

/** The last characters, at most a third of the text. */
function masked(text: string): string {
  const characters = [...text]
  const shown = Math.min(4, Math.floor(characters.length / 3))
  return `•••${characters.slice(characters.length - shown).join('')}`
}

import { limits } from '../limits/index.ts'
import { codePoints, isDate, isExternalId, isUuid, searchForm, uuidSchema } from '../schema/index.ts'
import type { QueryParameter } from './query.ts'

const wholeNumber = /^[1-9]\d{0,9}$/u

/** `limit` of a list: 1 to `maximum`. A value outside is refused, not clamped. */
export function limitParameter(maximum = limits.listMax, usual = limits.listDefault): QueryParameter {
  return {
    schema: { type: 'integer', minimum: 1, maximum, default: usual },
    description: `An integer from 1 to ${maximum}; ${usual} unless given`,
    parse: text => (wholeNumber.test(text) && Number(text) <= maximum ? Number(text) : undefined),
  }
}

/** A choice between true and false; false unless given. */
export function booleanParameter(description: string): QueryParameter {
  return {
    schema: { type: 'boolean', default: false },
    description: `${description}: true or false`,
    parse: text => (text === 'true' ? true : text === 'false' ? false : undefined),
  }
}

/** `page` of a list with numbered pages, from 1. */
export function pageParameter(): QueryParameter {
  return {
    schema: { type: 'integer', minimum: 1, default: 1, documented: { maximum: 9_999_999_999 } },
    description: 'The number of the page, from 1; 1 unless given',
    parse: text => (wholeNumber.test(text) ? Number(text) : undefined),
  }
}

/** A number of whole seconds, from 0 to `maximum`; 0 unless given. */
export function secondsParameter(maximum: number, description: string, example: number): QueryParameter {
  return {
    schema: { type: 'integer', minimum: 0, maximum, default: 0, example },
    description: `${description}: whole seconds from 0 to ${maximum}; 0 unless given`,
    parse: text => (/^(?:0|[1-9]\d{0,4})$/u.test(text) && Number(text) <= maximum ? Number(text) : undefined),
  }
}

/** A cursor. Only the route that made it can decide whether it is valid. */
export function cursorParameter(): QueryParameter {
  return { schema: { type: 'string', minLength: 1 }, description: 'nextCursor of the page before', parse: text => text }
}

/** `expectedVersion` of a request without a body. */
export function expectedVersionParameter(): QueryParameter {
  return {
    schema: { type: 'integer', minimum: 1, example: 1, documented: { maximum: 9_999_999_999 } },
    description: 'The version that the record must have: an integer of 1 or more',
    parse: text => (wholeNumber.test(text) ? Number(text) : undefined),
  }
}

/** One word of a list, which is a component of the OpenAPI document. */
export function wordParameter(component: string, words: readonly string[], description: string): QueryParameter {
  return {
    schema: { component, type: 'string', enum: words },
    description: `${description}: ${words.join(', ')}`,
    parse: text => (words.includes(text) ? text : undefined),
  }
}

/** A comma-separated list of the given words, each at most once. */
export function wordsParameter(component: string, words: readonly string[], description: string): QueryParameter {
  return {
    schema: { type: 'array', items: { component, type: 'string', enum: words }, example: words.slice(0, 2) },
    description: `${description}: ${words.length === 1 ? words[0] : `a comma-separated list of ${words.join(', ')}`}`,
    parse: text => {
      const given = text.split(',')
      return given.every(word => words.includes(word)) ? [...new Set(given)] : undefined
    },
  }
}

/**
 * A text to search for. Its length does not count outer white space. A text of accents alone counts as empty: search ignores accents, and
 * an empty text would match every name.
 */
export function searchParameter(
  minLength: number,
  maxLength: number,
  description: string,
  example: string,
): QueryParameter {
  return {
    schema: { type: 'string', minLength, maxLength, example },
    description: `${description}; ${minLength} to ${maxLength} characters, not accents alone`,
    parse: text => {
      const trimmed = text.trim()
      const length = codePoints(trimmed)
      return length < minLength || length > maxLength || searchForm(trimmed) === '' ? undefined : trimmed
    },
  }
}

/** An `externalId`, byte for byte. */
export function externalIdParameter(): QueryParameter {
  return {
    schema: { type: 'string', format: 'external-id', maxLength: limits.externalIdLength, example: 'A-1042' },
    description:
      'Your externalId of the record: 1 to 200 characters, one of them visible, no control characters, no outer spaces',
    parse: text => (isExternalId(text) ? text : undefined),
  }
}

/** A text that is compared unchanged. */
export function textParameter(maxLength: number, description: string, example: string): QueryParameter {
  return {
    schema: { type: 'string', minLength: 1, maxLength, example },
    description: `${description}; 1 to ${maxLength} characters`,
    parse: text => (text !== '' && codePoints(text) <= maxLength ? text : undefined),
  }
}

/** The id of a record to look for; it need not exist. */
export function uuidParameter(description: string): QueryParameter {
  return {
    schema: uuidSchema,
    description: `${description}: a UUID`,
    parse: text => (isUuid(text) ? text.toLowerCase() : undefined),
  }
}

/** A calendar date. */
export function dateParameter(description: string): QueryParameter {
  return {
    schema: { type: 'string', format: 'date', example: '2026-03-31' },
    description: `${description}; a date such as 2026-03-31`,
    parse: text => (isDate(text) ? text : undefined),
  }
}

import type { QuotedPlace } from './quoted-places.ts'

type Value = string | number | boolean | undefined

/** Writes values in the language of a body, escaped so that a value cannot change the structure of the body. */
interface BodyLanguage {
  /** The escaped value at a position; null if the language cannot represent it there. `undefined` is an absent parameter. */
  readonly write: (value: Value, place: QuotedPlace) => string | null
  /** Describes which values are allowed, for the refusal of a value. */
  readonly takes: (place: QuotedPlace) => string
}

/** The language of a body of this `Content-Type`. */
export function bodyLanguage(contentType: string): BodyLanguage {
  const [mediaType = ''] = contentType.split(';', 1)
  return languages.find(([form]) => form.test(mediaType.trim()))?.[1] ?? unknown
}

const takesAll = () => ''

const json: BodyLanguage = {
  write: (value, place) => {
    if (place === 'escape') return null
    return place === 'document' ? jsonValue(value ?? null) : jsonPart(value)
  },
  takes: () => 'No value can stand directly behind a backslash in bodyTemplate',
}

/** Its strings follow the rules of JSON, except block strings, in which a backslash has no special meaning. */
const graphql: BodyLanguage = {
  write: (value, place) => {
    if (place === 'block string') return /["\\]/u.test(String(value ?? '')) ? null : String(value ?? '')
    // With spaces around them, an empty string and the quotation mark of the next one do not begin a block string.
    return place === 'document' ? ` ${jsonValue(value ?? null)} ` : json.write(value, place)
  },
  takes: place =>
    place === 'block string' ? 'A block string takes no quotation marks and backslashes' : json.takes(place),
}

const form: BodyLanguage = {
  write: value => encodeURIComponent(value ?? '').replaceAll('%20', '+'),
  takes: takesAll,
}

const xml: BodyLanguage = {
  write: value => String(value ?? '').replace(/[&<>"']/gu, character => entities[character] ?? ''),
  takes: takesAll,
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** The body consists of lines only. */
const plainText: BodyLanguage = {
  write: value => (/(?!\t)[\p{Cc}\u2028\u2029]/u.test(String(value ?? '')) ? null : String(value ?? '')),
  takes: () => 'A body of plain text takes values of one line without control characters',
}

/** The quoting rules are unknown, so only characters that are harmless in every language are allowed. */
const unknown: BodyLanguage = {
  write: value => (typeof value !== 'string' || isHarmless.test(value) ? String(value ?? '') : null),
  takes: () =>
    'A body of this Content-Type takes letters, digits, and one of . _ - @ between them: how to quote other characters is only ' +
    'known for JSON, GraphQL, forms, XML, HTML and text/plain',
}

const isHarmless = /^(?:[\p{L}\p{M}\p{Nd}]+(?:[._@-][\p{L}\p{M}\p{Nd}]+)*)?$/u

const languages: readonly (readonly [RegExp, BodyLanguage])[] = [
  [/^(?:application|text)\/(?:x-)?(?:json|ndjson|jsonl|jsonlines|json-seq|json-rpc|amz-json-1\.[01])$/iu, json],
  [/^[a-z]+\/[^/]+\+json(?:-seq)?$/iu, json],
  [/^application\/graphql$/iu, graphql],
  [/^application\/x-www-form-urlencoded$/iu, form],
  [/^(?:application|text)\/(?:[^/]+\+)?(?:xml|html)$/iu, xml],
  [/^text\/plain$/iu, plainText],
]

/** Characters that some parsers treat as line ends are escaped too: a line of NDJSON is one value. */
function jsonValue(value: Exclude<Value, undefined> | null): string {
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029]/gu, character => {
    return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function jsonPart(value: Value): string {
  return jsonValue(String(value ?? '')).slice(1, -1)
}

import type { Parameter } from '../api-integration.rules.ts'
import { fillPlaceholders } from '../placeholders.rules.ts'
import type { ParameterValues } from './parameter-values.ts'

/** How a value is written at its place in a body of one media type; `undefined` is a parameter that is not given. */
type Write = (value: string | number | boolean | undefined, isInQuotes: boolean) => string

const writers: readonly (readonly [RegExp, Write])[] = [
  [/^application\/(?:[a-z.+-]+\+)?json\b/iu, writeJson],
  [/^application\/x-www-form-urlencoded\b/iu, value => encodeURIComponent(value ?? '').replaceAll('%20', '+')],
  [/^(?:application|text)\/(?:[a-z.+-]+\+)?(?:xml|html)\b/iu, writeXml],
]

/**
 * The body of a call: the template with its parameters, written so that none of them can be more than a value there; or without a
 * template a JSON object of the parameters of the body. Null where there is neither.
 */
export function fillBody(
  template: string | null,
  parameters: readonly Parameter[],
  values: ParameterValues,
  contentType: string,
): string | null {
  const names = parameters.flatMap(({ name, in: place }) => (place === 'body' ? [name] : []))
  if (template === null) {
    const given = names.flatMap(name => (values.has(name) ? [[name, values.get(name)]] : []))
    return names.length === 0 ? null : JSON.stringify(Object.fromEntries(given))
  }
  const [, write = writePlain] = writers.find(([form]) => form.test(contentType)) ?? []
  const quoted = quotedPlaces(template)
  return fillPlaceholders(template, (name, offset) =>
    names.includes(name) ? write(values.get(name), quoted(offset)) : `{${name}}`,
  )
}

function writePlain(value: string | number | boolean | undefined): string {
  return String(value ?? '')
}

/** A value of its own, or a part of a text. */
function writeJson(value: string | number | boolean | undefined, isInQuotes: boolean): string {
  if (!isInQuotes) return JSON.stringify(value ?? null)
  return JSON.stringify(String(value ?? '')).slice(1, -1)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function writeXml(value: string | number | boolean | undefined): string {
  return String(value ?? '').replace(/[&<>"']/gu, character => entities[character] ?? '')
}

/** Tells whether a place of a JSON text is inside a string. Places are asked from the left to the right. */
function quotedPlaces(text: string): (offset: number) => boolean {
  let at = 0
  let isInside = false
  return offset => {
    for (; at < offset; at += 1) {
      if (isInside && text[at] === '\\') at += 1
      else if (text[at] === '"') isInside = !isInside
    }
    return isInside
  }
}

import { type Refusal, unprocessable } from '../../../kernel/schema/index.ts'
import type { Parameter } from '../api-integration.rules.ts'
import { fillPlaceholders } from '../placeholders.rules.ts'
import { bodyLanguage } from './body-languages.ts'
import type { ParameterValues } from './parameter-values.ts'
import { quotedPlaces } from './quoted-places.ts'

/**
 * The body of a call: the template with its parameters, written so that none of them can be more than a value there; or without a
 * template a JSON object of the parameters of the body. Null where there is neither. Refuses values (422) that the language of
 * `contentType` has no way to write at their place.
 */
export function fillBody(
  template: string | null,
  parameters: readonly Parameter[],
  values: ParameterValues,
  contentType: string,
): string | null | Refusal {
  const names = parameters.flatMap(({ name, in: place }) => (place === 'body' ? [name] : []))
  if (template === null) {
    const given = names.flatMap(name => (values.has(name) ? [[name, values.get(name)]] : []))
    return names.length === 0 ? null : JSON.stringify(Object.fromEntries(given))
  }
  const { write, takes } = bodyLanguage(contentType)
  const placeAt = quotedPlaces(template)
  const unwritable = new Map<string, string>()
  const body = fillPlaceholders(template, (name, offset) => {
    if (!names.includes(name)) return `{${name}}`
    const place = placeAt(offset)
    const written = write(values.get(name), place)
    if (written === null) unwritable.set(name, takes(place))
    return written ?? ''
  })
  if (unwritable.size === 0) return body
  return unprocessable(
    Array.from(unwritable, ([name, message]) => ({
      path: `/${name}`,
      rule: 'body',
      message: `${name}: ${message}`,
    })),
  )
}

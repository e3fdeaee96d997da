import { type Refusal, unprocessable } from '../../../kernel/schema/index.ts'
import type { Parameter } from '../api-integration.rules.ts'
import { fillPlaceholders } from '../placeholders.rules.ts'
import { bodyLanguage } from './body-languages.ts'
import type { ParameterValues } from './parameter-values.ts'
import { quotedPlaces } from './quoted-places.ts'

/**
 * The body of a call: the template with its parameters, escaped so that a value cannot change its structure; or, without a template, a JSON
 * object of the body parameters. Null if there is neither. Refuses values (422) that the language of `contentType` cannot represent at
 * their position.
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

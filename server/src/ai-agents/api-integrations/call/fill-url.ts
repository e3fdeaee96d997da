import { type Refusal, violates } from '../../../kernel/schema/index.ts'
import type { Parameter } from '../api-integration.rules.ts'
import { fillPlaceholders, placeholdersIn, urlTemplate } from '../placeholders.rules.ts'
import type { ParameterValues } from './parameter-values.ts'

const longest = 8192

/** The URL of a call. A value fills only its placeholder: it cannot add a segment, a parameter or a host. */
export function fillUrl(url: string, parameters: readonly Parameter[], values: ParameterValues): URL | Refusal {
  const { origin, path, query } = urlTemplate(url)
  const segments = path.split('/').map(segment => ({ segment, filled: filledWith(segment, values) }))
  const dotted = segments.find(({ segment, filled }) => segment !== filled && isDots(filled))
  if (dotted !== undefined) return violates('/url', 'path', `${dotted.segment} would lead to another path`)
  const pairs = query.split('&').flatMap(pair => {
    // A pair whose parameter is absent is omitted.
    const isGiven = [...placeholdersIn(pair)].every(name => values.has(name))
    return pair === '' || !isGiven ? [] : [filledWith(pair, values)]
  })
  const placed = placeholdersIn(query)
  const added = parameters.flatMap(({ name, in: place }) => {
    const value = values.get(name)
    if (place !== 'query' || placed.has(name) || value === undefined) return []
    return [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
  })
  const search = [...pairs, ...added].join('&')
  const text = `${origin}${segments.map(({ filled }) => filled).join('/')}${search === '' ? '' : `?${search}`}`
  if (text.length > longest) return violates('/url', 'path', `The address would have more than ${longest} characters`)
  return new URL(text)
}

function filledWith(text: string, values: ParameterValues): string {
  return fillPlaceholders(text, name => encodeURIComponent(values.get(name) ?? ''))
}

/** Segments that mean the current folder or its parent. */
function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/iu.test(segment)
}

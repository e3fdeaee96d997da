import { notUtf8 } from '../../kernel/index.ts'

/**
 * The parameters of a query: a text for each, a list for one that comes more than once, and `notUtf8` for one whose
 * percent sequences are no UTF-8. `URLSearchParams` alone would put U+FFFD there, and the search find nothing.
 */
export function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = query[name]
    if (Array.isArray(earlier)) earlier.push(value)
    else query[name] = earlier === undefined ? value : [earlier, value]
  }
  return text.includes('%') && !isUtf8(text) ? withoutBroken(query, text) : query
}

/** Tells of the broken parts only, under the name as it was sent where that is what is broken. */
function withoutBroken(query: Record<string, unknown>, text: string): Record<string, unknown> {
  for (const part of text.split('&')) {
    if (isUtf8(part)) continue
    const [sent = ''] = part.split('=', 1)
    const [[name = ''] = []] = new URLSearchParams(part)
    delete query[name]
    query[isUtf8(sent) ? name : sent] = notUtf8
  }
  return query
}

function isUtf8(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

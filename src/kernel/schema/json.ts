import type { Issue } from '../errors/index.ts'

export type JsonSchema = Readonly<Record<string, unknown>>
export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const deepest = 32

/**
 * Parses a request body. What PostgreSQL could not store or what only attacks send is an issue, not an exception:
 * invalid UTF-8 or JSON, nesting deeper than 32, U+0000 and lone surrogates.
 */
export function parseJson(body: Uint8Array): { value: unknown } | { issue: Issue } {
  let text: string
  let value: unknown
  try {
    text = utf8.decode(body)
  } catch {
    return invalid('The body is not valid UTF-8')
  }
  try {
    value = JSON.parse(text)
  } catch {
    return invalid('The body is not valid JSON')
  }
  // Escapes are the only way in for what UTF-8 forbids.
  const fault = findFault(value, text.includes('\\u'), '', 0)
  return fault === null ? { value } : { issue: fault }
}

function invalid(message: string): { issue: Issue } {
  return { issue: { path: '', rule: 'json', message } }
}

function findFault(value: unknown, checkText: boolean, path: string, depth: number): Issue | null {
  if (typeof value === 'string') return checkText ? findTextFault(value, path) : null
  if (typeof value !== 'object' || value === null) return null
  if (depth >= deepest) return { path, rule: 'depth', message: `Nested deeper than ${deepest} levels` }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = findFault(value[index], checkText, `${path}/${index}`, depth + 1)
      if (fault !== null) return fault
    }
    return null
  }
  for (const [key, member] of Object.entries(value)) {
    const fault =
      (checkText ? findTextFault(key, path) : null) ??
      findFault(member, checkText, `${path}/${pointer(key)}`, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

function findTextFault(text: string, path: string): Issue | null {
  if (text.includes('\0')) return { path, rule: 'text', message: 'The character U+0000 is not allowed' }
  return text.isWellFormed() ? null : { path, rule: 'text', message: 'A lone surrogate is not allowed' }
}

/** One segment of a JSON pointer. */
export function pointer(segment: string | number): string {
  return String(segment).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .sort()
    .filter(key => value[key] !== undefined)
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${members.join(',')}}`
}

/** Deep equality of JSON values. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  return canonicalJson(one) === canonicalJson(other)
}

import type { Issue } from '../errors/index.ts'
import { refuseRoundedAmounts } from './exact-amounts.ts'

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
  const fault = findFault(value, text.includes('\\u'), 0)
  if (fault === null) {
    refuseRoundedAmounts(value, text)
    return { value }
  }
  const path = fault.path.reverse().map(segment => `/${pointer(segment)}`)
  return { issue: { ...fault, path: path.join('') } }
}

function invalid(message: string): { issue: Issue } {
  return { issue: { path: '', rule: 'json', message } }
}

interface Fault {
  /** From the fault outwards: nothing is built as long as nothing is wrong. */
  readonly path: (string | number)[]
  readonly rule: string
  readonly message: string
}

function findFault(value: unknown, checkText: boolean, depth: number): Fault | null {
  if (typeof value === 'string') return checkText ? textFault(value) : null
  if (typeof value !== 'object' || value === null) return null
  if (depth >= deepest) return { path: [], rule: 'depth', message: `Nested deeper than ${deepest} levels` }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = findFault(value[index], checkText, depth + 1)
      if (fault !== null) return within(fault, index)
    }
    return null
  }
  for (const [key, member] of Object.entries(value)) {
    const inName = checkText ? textFault(key) : null
    if (inName !== null) return inName
    const fault = findFault(member, checkText, depth + 1)
    if (fault !== null) return within(fault, key)
  }
  return null
}

function within(fault: Fault, segment: string | number): Fault {
  fault.path.push(segment)
  return fault
}

function textFault(text: string): Fault | null {
  if (text.includes('\0')) return { path: [], rule: 'text', message: 'The character U+0000 is not allowed' }
  return text.isWellFormed() ? null : { path: [], rule: 'text', message: 'A lone surrogate is not allowed' }
}

/** One segment of a JSON pointer. */
export function pointer(segment: string | number): string {
  return String(segment).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  for (const key of Object.keys(value).sort()) {
    if (value[key] === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key])}`
  }
  return `{${text}}`
}

/** Deep equality of JSON values. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => sameJson(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  for (const key in one) if (!sameJson(one[key], other[key])) return false
  for (const key in other) if (other[key] !== undefined && one[key] === undefined) return false
  return true
}

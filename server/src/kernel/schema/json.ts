import type { Issue } from '../errors/index.ts'
import { refuseRoundedAmounts } from './exact-amounts.ts'
import { faultInJson } from './json-fault.ts'
import { issuesOfOutline, outlineJson } from './json-outline.ts'
import { pointer } from './json-pointer.ts'
import { codePoints } from './text.ts'

export type JsonSchema = Readonly<Record<string, unknown>>
export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}

/** A text, and null for any other value. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const deepest = 32

/** The value of a text, or its issues; `count` is the number of all issues if not all are listed. */
export type ParsedJson = { readonly value: unknown } | { readonly issues: readonly Issue[]; readonly count: number }

/**
 * Parses a request body in short steps. Input that PostgreSQL cannot store or that only attacks send is an issue and not an exception:
 * invalid UTF-8 or JSON, nesting deeper than 32, U+0000 and lone surrogates. A text longer than `shortBytes` is checked before parsing: it
 * must not contain more values than a body may.
 */
export function* parseJson(body: Uint8Array): Generator<unknown, ParsedJson> {
  if (body.length > shortBytes) {
    const outlined = issuesOfOutline(yield* outlineJson(body))
    if (outlined.count > 0) return outlined
    yield
  }
  let text: string
  let value: unknown
  try {
    text = body.length > shortBytes ? yield* textOf(body) : utf8.decode(body)
  } catch {
    return invalid('The body is not valid UTF-8')
  }
  try {
    value = JSON.parse(text)
  } catch {
    return invalid(notJson(text, yield* faultInJson(text)))
  }
  yield
  // In valid UTF-8, only escapes can produce U+0000 and lone surrogates.
  const fault = findFault(value, text.includes('\\u'), 0)
  if (fault === null) {
    yield
    refuseRoundedAmounts(value, text)
    return { value }
  }
  const path = fault.path.reverse().map(segment => `/${pointer(segment)}`)
  return { issues: [{ ...fault, path: path.join('') }], count: 1 }
}

/** Shorter texts cannot contain much, and are processed without pauses. */
export const shortBytes = 64 * 1024

/** Says at which character a text stops being JSON, counted from 1. It quotes nothing, because the text may contain secrets. */
function notJson(text: string, fault: number): string {
  if (fault < 0) return 'The body is not valid JSON'
  if (fault === text.length) return `The body is not valid JSON: it ends too early, after character ${codePoints(text)}`
  const before = text.slice(0, fault)
  const line = before.split('\n').length
  const column = codePoints(before.slice(before.lastIndexOf('\n') + 1)) + 1
  const place = line === 1 ? '' : ` (line ${line}, column ${column})`
  return `The body is not valid JSON at character ${codePoints(before) + 1}${place}`
}

function invalid(message: string): ParsedJson {
  return { issues: [{ path: '', rule: 'json', message }], count: 1 }
}

interface Fault {
  /** The path of the fault, innermost segment first. It is built only if there is a fault. */
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
  if (!isObject(value)) return null
  // `Object.keys` would allocate a list of the members, which would cost more than everything else here.
  for (const key in value) {
    const inName = checkText ? textFault(key) : null
    if (inName !== null) return inName
    const fault = findFault(value[key], checkText, depth + 1)
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

/** JSON with sorted members, so that equal values have equal texts. */
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

/** The same text in pieces, for large values. No piece is much longer than one element of a list. */
export function* canonicalPieces(value: unknown, levels = 2): Generator<string, void> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield canonicalJson(value)
    return
  }
  let separator = ''
  if (Array.isArray(value)) {
    yield '['
    for (const item of value) {
      yield separator
      yield* canonicalPieces(item, levels - 1)
      separator = ','
    }
    yield ']'
    return
  }
  if (!isObject(value)) return
  yield '{'
  for (const key of Object.keys(value).sort()) {
    if (value[key] === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* canonicalPieces(value[key], levels - 1)
    separator = ','
  }
  yield '}'
}

/** Deep equality of JSON values. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => sameJson(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  for (const key in one) if (!sameJson(one[key], ownMember(other, key))) return false
  for (const key in other) if (other[key] !== undefined && ownMember(one, key) === undefined) return false
  return true
}

/**
 * A member by a name that a client or an administrator has chosen, such as the key of a custom field. The name may be one that every object
 * inherits, such as `constructor`.
 */
export function ownMember(members: Readonly<JsonObject>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** A JSON text. A long one is a list of UTF-8 buffers, because encoding a long text takes long. */
export type JsonText = string | readonly Buffer[]

/** Characters that are encoded at a time. Ordinary answers are shorter and stay strings, which cost less. */
const partLength = 256 * 1024
/** Bytes that are decoded at a time; decoding is slower than encoding. */
const readBytes = 64 * 1024
/** The most elements that are serialized at a time. Serializing each element by itself costs half as much again. */
const mostTogether = 16

/**
 * The text of a JSON list between two other texts. Pauses after each 256 KiB or after a few elements, so that other work runs while a long
 * list is serialized.
 */
export function* listText(before: string, elements: readonly unknown[], after: string): Generator<unknown, JsonText> {
  const parts: Buffer[] = []
  let text = before
  let together = 1
  for (let start = 0, end: number; start < elements.length; start = end) {
    end = start + together
    const written = JSON.stringify(elements.slice(start, end)).slice(1, -1)
    text += start === 0 ? written : `,${written}`
    // The number of elements that probably fill a part, estimated from the last ones.
    together = Math.max(1, Math.min(mostTogether, Math.floor((partLength * together) / written.length)))
    if (text.length < partLength) continue
    parts.push(Buffer.from(text))
    text = ''
    yield
  }
  if (parts.length === 0) return `${text}${after}`
  parts.push(Buffer.from(`${text}${after}`))
  return parts
}

/** Collects the pieces of a long text as UTF-8 bytes. */
export class TextParts {
  readonly #parts: Buffer[] = []
  #text = ''

  add(piece: string): void {
    this.#text += piece
    if (this.#text.length >= readBytes) this.#turn()
  }

  end(): readonly Buffer[] {
    this.#turn()
    return this.#parts
  }

  #turn(): void {
    this.#parts.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** The bytes of a text in parts, with a pause after each. */
export function* partsOf(text: JsonText): Generator<unknown, readonly Buffer[]> {
  if (typeof text !== 'string') return text
  const parts: Buffer[] = []
  for (let start = 0, end: number; start < text.length; start = end) {
    end = start + partLength
    // Do not split a surrogate pair.
    if (isLowSurrogate(text.charCodeAt(end))) end += 1
    parts.push(Buffer.from(text.slice(start, end)))
    yield
  }
  return parts
}

/** Decodes UTF-8 bytes without a byte order mark, in steps. Throws a `TypeError` if the bytes are not UTF-8. */
export function* textOf(bytes: Uint8Array): Generator<unknown, string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for (let start = 0; start < bytes.length; start += readBytes) {
    text += decoder.decode(bytes.subarray(start, start + readBytes), { stream: true })
    yield
  }
  return text + decoder.decode()
}

/** The whole text as one value. */
export function joined(text: JsonText): string | Buffer {
  return typeof text === 'string' ? text : Buffer.concat(text)
}

/** The approximate number of bytes. */
export function sizeOf(text: JsonText): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, part) => sum + part.length, 0)
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

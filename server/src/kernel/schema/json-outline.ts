import type { Issue } from '../errors/index.ts'
import { bounds } from '../limits/bounds.ts'
import { pointer } from './json-pointer.ts'

/** What can be known of a JSON text without parsing it. */
export interface JsonOutline {
  /** The number of members and elements on all levels. */
  readonly values: number
  /** The first objects with more members than an object may have. */
  readonly wide: readonly WideObject[]
  /** The number of all such objects. */
  readonly wideCount: number
}

interface WideObject {
  /** JSON pointer. */
  readonly path: string
  readonly members: number
}

interface Level {
  readonly isObject: boolean
  /** The number of commas so far. */
  separators: number
  /** The position of the current member's name. */
  name: readonly [start: number, end: number]
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d]
const mostLevels = 64
/** Bytes that one step reads. */
const stepBytes = 64 * 1024

/**
 * Scans the bytes of a JSON text once, in short steps. This costs a tenth of parsing the text. The text need not be valid, because the
 * parser checks it later.
 */
export function* outlineJson(bytes: Uint8Array): Generator<unknown, JsonOutline> {
  const levels: Level[] = []
  const wide: WideObject[] = []
  let [values, wideCount, deeper] = [0, 0, 0]
  let string: readonly [number, number] = [0, 0]
  let stepEnd = stepBytes
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= stepEnd) {
      stepEnd = at + stepBytes
      yield
    }
    const byte = bytes[at]
    if (byte === quote) {
      const end = endOfString(bytes, at)
      string = [at, end]
      at = end
    } else if (byte === comma) {
      values += 1
      const level = levels.at(-1)
      if (level === undefined || deeper > 0) continue
      level.separators += 1
    } else if (byte === colon) {
      const level = levels.at(-1)
      // The deepest level that is tracked may get a name from further down. No path contains it.
      if (level !== undefined) level.name = string
    } else if (byte === openObject || byte === openList) {
      values += 1
      if (levels.length === mostLevels) deeper += 1
      else levels.push({ isObject: byte === openObject, separators: 0, name: [0, 0] })
    } else if (byte === closeObject || byte === closeList) {
      if (deeper > 0) {
        deeper -= 1
        continue
      }
      const level = levels.pop()
      if (level === undefined || !level.isObject || level.separators < bounds.objectMembers.most) continue
      wideCount += 1
      if (wide.length < bounds.issues.most) wide.push({ path: pathOf(levels, bytes), members: level.separators + 1 })
    }
  }
  return { values, wide, wideCount }
}

/** The issues of a text that exceeds the bounds of a body, and the number of all; none if the text may be parsed. */
export function issuesOfOutline({ values, wide, wideCount }: JsonOutline): { issues: Issue[]; count: number } {
  if (wideCount > 0) {
    const message = (members: number) => `An object has ${bounds.objectMembers.most} members at most, not ${members}`
    const issues = wide.map(({ path, members }) => ({ path, rule: 'maxProperties', message: message(members) }))
    return { issues, count: wideCount }
  }
  if (values <= bounds.bodyValues.most) return { issues: [], count: 0 }
  const message = `The body has more than ${bounds.bodyValues.most} members and elements`
  return { issues: [{ path: '', rule: 'max_values', message }], count: 1 }
}

/** The index of the closing quotation mark. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let from = start + 1; ; ) {
    const end = bytes.indexOf(quote, from)
    if (end === -1) return bytes.length
    let escapes = 0
    while (bytes[end - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return end
    from = end + 1
  }
}

/** The JSON pointer of the innermost level. */
function pathOf(levels: readonly Level[], bytes: Uint8Array): string {
  const segments = levels.map(({ isObject, separators, name: [start, end] }) => {
    if (!isObject) return separators
    return new TextDecoder().decode(bytes.subarray(start + 1, Math.min(end, start + 1 + bounds.quoted.most)))
  })
  return segments.map(segment => `/${pointer(segment)}`).join('')
}

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

export type JsonObject = { readonly [member: string]: Json }

/** A record as the API shows it. */
export interface RecordState extends JsonObject {
  readonly id: string
  readonly version: number
}

/** Whether a value is an object, neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * What stands at a path such as `jobTitle` or `contactData.emails`. Answers undefined where the path, or a part of it, is absent: the
 * value is hidden from the reader then.
 */
export function read(record: JsonObject, path: string): Json | undefined {
  const [member = '', ...rest] = path.split('.')
  const value = record[member]
  if (rest.length === 0) return value
  return isObject(value) ? read(value, rest.join('.')) : undefined
}

/** An object with the value of each path, nested again: `{ 'contactData.emails': [] }` becomes `{ contactData: { emails: [] } }`. */
export function nest(values: ReadonlyMap<string, Json>): JsonObject {
  const nested: Record<string, Json> = {}
  for (const [path, value] of values) {
    const [member = '', ...rest] = path.split('.')
    if (rest.length === 0) {
      nested[member] = value
      continue
    }
    const outer = nested[member]
    nested[member] = { ...(isObject(outer) ? outer : {}), [rest.join('.')]: value }
  }
  return nested
}

/** Whether two values are the same, whatever the order of members. An absent value and null are the same. */
export function same(one: Json | undefined, other: Json | undefined): boolean {
  const [left, right] = [one ?? null, other ?? null]
  if (left === right) return true
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((element, index) => same(element, right[index]))
  }
  if (!isObject(left) || !isObject(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every(name => same(left[name], right[name]))
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text of a member, or an empty text if it has none. */
export function textOf(object: JsonObject, member: string): string {
  const value = object[member]
  return typeof value === 'string' ? value : ''
}

/** The number of a member, or null if it has none. */
export function numberOf(object: JsonObject, member: string): number | null {
  const value = object[member]
  return typeof value === 'number' ? value : null
}

/** The value that a JSON text stands for, or undefined if it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

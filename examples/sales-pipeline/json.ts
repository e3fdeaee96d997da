/** Reads JSON from other systems: a missing value, or one of another type, stops the program. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

export function textOf(value: unknown, name: string): string {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : lacks(name, 'a text')
}

export function optionalTextOf(value: unknown, name: string): string | null {
  return memberOf(value, name) == null ? null : textOf(value, name)
}

/** For messages only: a value that is not a text is left out. */
export function textOrBlank(value: unknown, name: string): string {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : ''
}

export function integerOf(value: unknown, name: string): number {
  const member = memberOf(value, name)
  return typeof member === 'number' && Number.isSafeInteger(member) ? member : lacks(name, 'an integer')
}

export function listOf(value: unknown, name: string): unknown[] {
  const member = memberOf(value, name)
  return Array.isArray(member) ? member : lacks(name, 'a list')
}

export function textsOf(value: unknown, name: string): string[] {
  return listOf(value, name).map(item => (typeof item === 'string' ? item : lacks(name, 'a list of texts')))
}

function lacks(name: string, kind: string): never {
  throw new Error(`The CRM answered without "${name}" as ${kind}`)
}

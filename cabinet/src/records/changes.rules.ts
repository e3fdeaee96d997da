import type { FieldDefinition } from './field.ts'
import { isObject, type Json, type JsonObject, nest, read, same } from './record.ts'

/** Values by path. */
export type Values = ReadonlyMap<string, Json>

/** The values that a form begins with. Hidden values have no entry. */
export function valuesOf(record: JsonObject, fields: readonly FieldDefinition[]): Values {
  return new Map(
    fields.flatMap(({ path }) => {
      const value = read(record, path)
      return value === undefined ? [] : [[path, value] as const]
    }),
  )
}

/** The values that differ from those that a form began with. An empty text counts as null. */
export function changed(before: Values, after: Values): Values {
  return new Map([...after].filter(([path, value]) => !same(before.get(path), value)))
}

/** The body of a create or an update: each value under the member that requests have, references as references. */
export function bodyOf(values: Values, fields: readonly FieldDefinition[]): JsonObject {
  const sent = new Map<string, Json>()
  for (const [path, value] of values) {
    const { sentAs, widget } = fields.find(field => field.path === path) ?? {}
    sent.set(sentAs ?? path, widget === 'references' || widget === 'reference' ? asReference(value) : value)
  }
  return nest(sent)
}

function asReference(value: Json): Json {
  if (typeof value === 'string') return { id: value }
  if (Array.isArray(value)) return value.map(asReference)
  return isObject(value) ? value : null
}

/** Whether a value is what its field holds: a number or an amount that could not be read is still the text that was typed. */
export function fitsField(value: Json, { widget }: Pick<FieldDefinition, 'widget'>): boolean {
  const isNumber = widget === 'amount' || widget === 'number' || widget === 'integer'
  return !isNumber || typeof value !== 'string' || /^-?\d+(?:\.\d+)?$/u.test(value)
}

/** The path of the form's field that an issue's JSON pointer is about; undefined: none of them. */
export function fieldOfPointer(pointer: string, fields: readonly FieldDefinition[]): string | undefined {
  const path = pointer.split('/').slice(1).join('.')
  const isAbout = ({ path: own, sentAs = own }: FieldDefinition) => path === sentAs || path.startsWith(`${sentAs}.`)
  return fields.find(isAbout)?.path
}

import type { JsonObject } from '../../server/src/kernel/schema/index.ts'

/** What a request may hold no more, by the keywords of one schema. */
export function narrowed(before: JsonObject, after: JsonObject): string[] {
  const isTighter = (word: string, direction: 1 | -1) =>
    typeof after[word] === 'number' &&
    (typeof before[word] !== 'number' || (after[word] - before[word]) * direction > 0)
  return [
    ...typesNarrowed(before, after),
    ...valuesNarrowed(before, after),
    ...['pattern', 'format', 'const']
      .filter(word => after[word] !== undefined && before[word] !== after[word])
      // It says how many bits a client needs, and comes with a greater maximum.
      .filter(word => after[word] !== 'int64')
      .filter(word => word !== 'pattern' || !doAllMatch(before.enum, after.pattern))
      .map(word => `has another ${word}`),
    ...(isSame(before.default, after.default) ? [] : ['has another default']),
    ...atLeast.filter(word => isTighter(word, 1)).map(word => `has a greater ${word}`),
    ...atMost.filter(word => isTighter(word, -1)).map(word => `has a smaller ${word}`),
    ...(after.additionalProperties === false && before.additionalProperties !== false
      ? ['takes no further members']
      : []),
  ]
}

/** What readers of an answer could rely on, and can no more, by the keywords of one schema. Further values may always come. */
export function lessened(before: JsonObject, after: JsonObject): string[] {
  const types = listed(before.type)
  const further = types.length === 0 ? [] : listed(after.type).filter(type => !types.includes(type))
  return [
    ...further.map(type => `may be ${type}`),
    ...(types.length > 0 && after.type === undefined ? ['may be of any type'] : []),
    ...(after.format !== before.format && (before.format !== undefined || after.format === 'int64')
      ? ['has another format']
      : []),
  ]
}

/** Whether a list of values became a pattern that they all match. */
function doAllMatch(values: unknown, pattern: unknown): boolean {
  return Array.isArray(values) && values.every(value => new RegExp(String(pattern), 'u').test(String(value)))
}

const atLeast = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const atMost = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

function typesNarrowed({ type: before }: JsonObject, { type: after }: JsonObject): string[] {
  if (after === undefined) return []
  if (before === undefined) return ['has a type']
  return listed(before)
    .filter(type => !listed(after).includes(type) && !(type === 'integer' && listed(after).includes('number')))
    .map(type => `is ${type} no more`)
}

function valuesNarrowed({ enum: before }: JsonObject, { enum: after }: JsonObject): string[] {
  if (after === undefined) return []
  if (before === undefined) return ['has a list of values']
  return listed(before)
    .filter(value => !listed(after).includes(value))
    .map(value => `may be ${value} no more`)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The elements of what can be a list, one value, or absent. */
export function listed(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value]
}

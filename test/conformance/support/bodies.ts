import fc from 'fast-check'
import { isObject, type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'

type Schema = Readonly<Record<string, unknown>>
type Resolve = (ref: string) => Schema

/** Values that a published schema is likely to take: who uses them asks a validator which of them it does. */
export function valuesOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const { $ref, anyOf, enum: words, const: word, type, additionalProperties } = schema
  if (typeof $ref === 'string') return valuesOf({ ...schema, $ref: undefined, ...resolve($ref) }, resolve)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isObject).map(form => valuesOf(form, resolve)))
  if (word !== undefined) return fc.constant(word)
  if (Array.isArray(words)) return fc.constantFrom(...words)
  if (Array.isArray(type)) return fc.oneof(...type.map(each => valuesOf({ ...schema, type: each }, resolve)))
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return integers(schema)
  if (type === 'array') return arrays(schema, resolve)
  if (type === 'string') return texts(schema)
  if (isObject(schema.properties)) return objects(schema, schema.properties, resolve)
  if (isObject(additionalProperties)) return maps(schema, additionalProperties, resolve)
  return fc.oneof(fc.constantFrom(null, true, 'north', '12.5', ['north', 'south'], []))
}

function integers({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema) {
  const [least, most] = [Number(minimum), Number(maximum)]
  return fc.oneof(fc.constantFrom(least, most), fc.integer({ min: least, max: Math.min(most, 2 ** 31 - 1) }))
}

function arrays({ items, minItems = 0, maxItems = 3 }: Schema, resolve: Resolve) {
  const length = { minLength: Number(minItems), maxLength: Math.min(3, Number(maxItems)) }
  return fc.array(valuesOf(isObject(items) ? items : {}, resolve), length)
}

/** Texts that patterns and formats of the document ask for; those that no pattern can tell are known ones. */
function texts({ format, pattern, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  if (String(pattern).startsWith(dayPattern)) return fc.oneof(dates, times)
  const known = typeof format === 'string' ? ofFormat[format] : ofPattern.get(String(pattern))
  if (known !== undefined) return known
  const length = { minLength: Number(minLength), maxLength: Math.min(60, Number(maxLength)) }
  const plain = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '-', '.', 'ö', '\t'), ...length })
  if (typeof pattern !== 'string') return plain
  const form = new RegExp(pattern, 'u')
  if (!pattern.includes('[^')) return fc.stringMatching(form)
  // To filter by a pattern that no plain text fits would never end.
  if (!fc.sample(plain, 200).some(text => form.test(text))) throw new Error(`no text is known for ${pattern}`)
  // What a pattern excludes leaves every other character, of which some cannot be seen: other rules refuse such texts.
  return plain.filter(text => form.test(text))
}

// A pattern knows no months of thirty days.
const dayPattern = '^\\d{4}-(0[1-9]|1[0-2])'
const dates = fc.constantFrom('2026-01-31', '0001-01-01', '9999-12-31')
const times = fc.constantFrom('2026-01-31T09:15:00Z', '2026-01-31T09:15:00.123+05:30')
const ofFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.constantFrom(newId(), newId()),
  date: dates,
  'date-time': times,
  'idn-email': fc.constantFrom('anna@example.com', 'a.b+c@example.co.uk'),
}
const ofPattern = new Map<string, fc.Arbitrary<string>>([
  ['^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$', fc.constantFrom('en', 'pt-BR')],
  ['^[A-Za-z][A-Za-z0-9_+/-]*$', fc.constantFrom('UTC', 'Europe/Berlin')],
  ['^[A-Z]{2}$', fc.constantFrom('US', 'DE')],
  ['^[A-Z]{3}$', fc.constantFrom('USD', 'EUR')],
  [
    '^[Hh][Tt][Tt][Pp][Ss]?://[^\\x00-\\x1f\\x7f-\\x9f]+$',
    fc.constantFrom('https://example.com', 'HTTP://a.example/b?c'),
  ],
  ['^[Hh][Tt][Tt][Pp][Ss]://[^\\s\\\\#]+$', fc.constantFrom('https://example.com', 'HTTPS://a.example/b?c')],
])

function objects({ required, minProperties }: Schema, properties: JsonObject, resolve: Resolve) {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    valuesOf(isObject(schema) ? schema : {}, resolve),
  ])
  const requiredKeys = Array.isArray(required) ? required.map(String) : []
  const some: fc.Arbitrary<JsonObject> = fc.record(Object.fromEntries(members), { requiredKeys, noNullPrototype: true })
  return minProperties === undefined ? some : fc.oneof(some, pairs(members, Number(minProperties)))
}

/** Objects with so few members that a random choice would hardly find them. */
function pairs(members: readonly (readonly unknown[])[], size: number) {
  const names = members.map(([name]) => String(name))
  return fc.subarray(names, { minLength: size, maxLength: size }).chain(chosen =>
    fc.record(Object.fromEntries(members.filter(([name]) => chosen.includes(String(name)))), {
      noNullPrototype: true,
    }),
  )
}

function maps({ propertyNames }: Schema, values: Schema, resolve: Resolve) {
  const { pattern = '^[a-z]{1,5}$' } = isObject(propertyNames) ? propertyNames : {}
  return fc.dictionary(fc.stringMatching(new RegExp(String(pattern), 'u')), valuesOf(values, resolve), {
    maxKeys: 2,
    noNullPrototype: true,
  })
}

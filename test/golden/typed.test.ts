import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { pointer } from './document.ts'
import { goldenDocument } from './render.ts'

// What generators of typed clients stumble over, or make clumsy types of. The suite in test/clients runs some of them.

interface Place {
  readonly at: string
  readonly schema: JsonObject
}

const inLists = ['schemas', 'properties', 'anyOf', 'oneOf', 'allOf']
const places = [...schemasIn(goldenDocument, '')]
const where = (wrong: (schema: JsonObject, at: string) => boolean) =>
  places.filter(({ schema, at }) => wrong(schema, at)).map(({ at }) => at)

test('a schema has one type, or one type and null', () => {
  const several = ({ type }: JsonObject) => Array.isArray(type) && type.filter(each => each !== 'null').length !== 1
  expect(where(several)).toEqual([])
  expect(where(({ enum: words, const: word, type }) => (words ?? word) !== undefined && type === undefined)).toEqual([])
})

test('a choice of several forms is one by code, or of a form and null', () => {
  const choices = where(({ anyOf, oneOf, allOf }) => [anyOf, oneOf, allOf].some(Array.isArray))
  const mayBeNull = where(({ anyOf }) => Array.isArray(anyOf) && anyOf.length === 2 && anyOf[1]?.type === 'null')
  const byCode = where(({ discriminator }) => discriminator !== undefined)
  expect(byCode).toEqual(['/components/schemas/ElementFailure', '/components/schemas/Failure'])
  expect(choices.filter(at => !mayBeNull.includes(at) && !byCode.includes(at) && !at.includes('/not'))).toEqual([])
})

test('objects and enumerations have names', () => {
  const isNamed = (at: string) => /^\/components\/schemas\/\w+$/u.test(at)
  // A form has no place but its operation, and conditions are no types.
  const isType = (at: string) =>
    !at.includes('/multipart~1form-data/') && !/\/(not|contains)\b/u.test(at) && !isNamed(at)
  const nameless = where(
    ({ properties, enum: words }, at) =>
      isType(at) && (properties !== undefined || (Array.isArray(words) && words.length > 1)),
  )
  expect(nameless).toEqual([])
})

test('no name is a keyword, or a class of the languages', () => {
  const taken =
    /^(Any|Array|Boolean|Class|Data|Date|Double|Enum|Error|Event|Exception|File|Float|Integer|Interface|List|Long|Map|Meta|Model|Module|Null|Number|Object|Option|Optional|Package|Record|Request|Response|Result|Set|String|Symbol|Thread|Type|Void)$/u
  expect(where((_, at) => taken.test(/^\/components\/schemas\/(\w+)$/u.exec(at)?.[1] ?? ''))).toEqual([])
})

test('an open enumeration is marked in the way that generators read', () => {
  const closed = where(({ enum: words, 'x-extensible-enum': known }, at) => {
    return (
      at.startsWith('/components/schemas/') && Array.isArray(words) && JSON.stringify(words) !== JSON.stringify(known)
    )
  })
  expect(closed).toEqual([])
})

/** Every schema of the document, in components and where it is used. */
function* schemasIn(node: unknown, at: string): Generator<Place> {
  if (Array.isArray(node)) for (const [index, child] of node.entries()) yield* schemasIn(child, `${at}/${index}`)
  if (!isObject(node)) return
  const parent = at.split('/').at(-2)
  if (/\/(schema|items|additionalProperties|not|contains)$/u.test(at) || inLists.includes(parent ?? ''))
    yield { at, schema: node }
  for (const [name, child] of Object.entries(node)) {
    if (!['example', 'examples', 'mapping'].includes(name)) yield* schemasIn(child, `${at}/${pointer(name)}`)
  }
}

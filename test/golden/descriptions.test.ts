import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { nodeAt, pointer } from './document.ts'
import { goldenDocument } from './render.ts'

/** Properties that their names explain, wherever they stand. Every other one has a description. */
const explained: Readonly<Record<string, string>> = {
  id: 'the id of the record that it stands in',
  name: 'what people call the record',
  title: 'the same of records that have a title',
  description: 'free text on the record',
  createdAt: 'when the record was created',
  updatedAt: 'when the record was changed last',
  firstName: 'of a person',
  middleName: 'of a person',
  lastName: 'of a person',
  data: 'what was asked for: the introduction says it of every answer',
  meta: 'what there is to say of it: the introduction says it of every answer',
}

/** Below these keywords a schema compares what stands elsewhere, or nothing is a schema. */
const passed = ['not', 'contains', 'dependentSchemas', 'example', 'examples', 'mapping']
const published = [...propertiesIn(goldenDocument, '')]

test('every property has a description, unless its name explains it', () => {
  expect(published.length).toBeGreaterThan(1000)
  const silent = published.filter(({ name, schema }) => !(name in explained) && !isDescribed(schema))
  expect(silent.map(({ at }) => at)).toEqual([])
})

test('the list of names that explain themselves is no longer than it has to be', () => {
  const silent = new Set(published.filter(({ schema }) => !isDescribed(schema)).map(({ name }) => name))
  expect([...silent].toSorted()).toEqual(Object.keys(explained).toSorted())
})

/** Sentences that the document adds by itself, and which do not say what a property is. */
const derived = /^(?:(?:Absent without|Needs) `\w+`\. ?|Values may be added within v1\. ?)*$/u

/** Whether a property says itself what it is for, or is what a described component is, or a list of these. */
function isDescribed({ description, $ref, anyOf, items }: JsonObject): boolean {
  if (typeof description === 'string' && description.replace(derived, '') !== '') return true
  if (typeof $ref === 'string') return isDescribed(nodeAt(goldenDocument, $ref.slice(1)))
  if (Array.isArray(anyOf)) return anyOf.filter(isObject).some(isDescribed)
  return isObject(items) && isDescribed(items)
}

interface Property {
  readonly at: string
  readonly name: string
  readonly schema: JsonObject
}

/** The properties of all schemas, with their places. */
function* propertiesIn(node: unknown, at: string): Generator<Property> {
  if (Array.isArray(node)) for (const [index, child] of node.entries()) yield* propertiesIn(child, `${at}/${index}`)
  if (!isObject(node)) return
  const isSchema = !at.endsWith('/properties')
  if (isSchema && isObject(node.properties)) {
    for (const [name, schema] of Object.entries(node.properties)) {
      if (isObject(schema)) yield { at: `${at}/properties/${name}`, name, schema }
    }
  }
  for (const [name, child] of Object.entries(node)) {
    if (!isSchema || !passed.includes(name)) yield* propertiesIn(child, `${at}/${pointer(name)}`)
  }
}

import { expect, test } from 'vitest'
import { jsonBodyOf } from '../../server/src/kernel/index.ts'
import { compileSchema, isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { operations, resources } from '../../server/src/modules.ts'
import { jsonContent, nodeAt, placeOf, pointer, schemasOf } from './document.ts'
import { goldenDocument } from './render.ts'

const schemaAt = schemasOf(goldenDocument)

interface Example {
  readonly at: string
  readonly schema: string
  readonly value: unknown
  /** The schema itself. */
  readonly form: unknown
}

const examples = [...examplesIn(goldenDocument, '')]

test('the document has examples, and each is of its schema', () => {
  expect(examples.length).toBeGreaterThan(operations.length * 2)
  // Many fields stand in several forms of a record. One look at each is enough, and to compile them all takes seconds.
  const different = new Map(examples.map(each => [JSON.stringify([each.form, each.value]), each]))
  const wrong = [...different.values()].flatMap(({ at, schema, value }) => {
    const validate = schemaAt(schema)
    return validate(value) ? [] : [{ at, errors: validate.errors }]
  })
  expect(wrong).toEqual([])
})

test('every operation shows its request and each of its successes', () => {
  const shown = new Set(examples.map(({ at }) => at))
  for (const operation of operations) {
    const expected = operation.success.map(status => `${placeOf(operation)}/responses/${status}${jsonContent}/example`)
    if (jsonBodyOf(operation) !== null) expected.push(`${placeOf(operation)}/requestBody${jsonContent}/example`)
    expect(expected.filter(at => !shown.has(at))).toEqual([])
  }
})

test('every parameter says what it is, and shows a value: cursors alone cannot be made up', () => {
  const named = operations.flatMap(operation => {
    const { parameters } = nodeAt(goldenDocument, placeOf(operation))
    const all = [parameters].flat().filter(isObject)
    return all.map(each => ('$ref' in each ? nodeAt(goldenDocument, String(each.$ref).slice(1)) : each))
  })
  expect(named.length).toBeGreaterThan(operations.length)
  const isCursor = ({ name }: JsonObject) => name === 'cursor' || name === 'after'
  const shows = ({ example, schema }: JsonObject) =>
    example !== undefined || (isObject(schema) && ['examples', 'default', '$ref'].some(word => word in schema))
  const silent = named.filter(each => typeof each.description !== 'string' || !(isCursor(each) || shows(each)))
  expect(silent.map(({ name }) => name)).toEqual([])
})

test('the server accepts the form of every request example', () => {
  for (const operation of operations) {
    const { id } = operation
    const body = jsonBodyOf(operation)
    if (body === null) continue
    const { value, issues } = body.parse(exampleAt(`${placeOf(operation)}/requestBody${jsonContent}/example`))
    expect({ id, issues }).toEqual({ id, issues: [] })
    const elements = isObject(value) && Array.isArray(value.elements) ? value.elements : []
    expect({ id, issues: elements.flatMap(element => element.issues) }).toEqual({ id, issues: [] })
  }
})

test('records in examples have the strict form that the server keeps', () => {
  for (const { title, output } of resources) {
    const schema = `#/components/schemas/${title}`
    const operation = operations.find(({ method, answer }) => method === 'GET' && answer.data.$ref === schema)
    if (operation === undefined) continue
    const answer = exampleAt(`${placeOf(operation)}/responses/200${jsonContent}/example`)
    expect(compileSchema(output)(isObject(answer) ? answer.data : undefined, '')).toEqual([])
  }
})

function exampleAt(at: string): unknown {
  return examples.find(example => example.at === at)?.value
}

/** Examples of media types and parameters, and those that schemas give of themselves. */
function* examplesIn(node: unknown, at: string): Generator<Example> {
  if (Array.isArray(node)) for (const [index, child] of node.entries()) yield* examplesIn(child, `${at}/${index}`)
  if (!isObject(node)) return
  if (isObject(node.schema)) yield* examplesBeside(node, at)
  if (Array.isArray(node.examples)) {
    for (const [index, value] of node.examples.entries())
      yield { at: `${at}/examples/${index}`, schema: at, value, form: node }
  }
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'example' && name !== 'examples') yield* examplesIn(child, `${at}/${pointer(name)}`)
  }
}

function* examplesBeside(node: Record<string, unknown>, at: string): Generator<Example> {
  const { example, examples: named, schema: form } = node
  const schema = `${at}/schema`
  if (example !== undefined) yield { at: `${at}/example`, schema, value: example, form }
  for (const [name, entry] of Object.entries(isObject(named) ? named : {})) {
    if (isObject(entry)) yield { at: `${at}/examples/${name}`, schema, value: entry.value, form }
  }
}

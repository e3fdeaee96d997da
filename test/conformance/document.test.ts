import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonBodyOf, type Operation } from '../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { jsonContent, placeOf, schemasOf } from '../golden/document.ts'
import { goldenDocument } from '../golden/render.ts'
import type { Answer } from '../support/client.ts'
import { valuesOf } from './support/bodies.ts'
import { useApi } from './support/given.ts'
import { named, unknownId } from './support/requests.ts'
import { oneOfEachShape } from './support/shapes.ts'
import { changesOf, isTolerated } from './support/violations.ts'

// The document is as strict as the server: what it allows is not malformed, and what it forbids is.
const given = useApi()
const schemaAt = schemasOf(goldenDocument)
const withBody = operations.filter(operation => jsonBodyOf(operation) !== null)
const withQuery = operations.filter(({ method, query }) => method === 'GET' && Object.keys(query).length > 0)
const searched = new Set(oneOfEachShape(withBody))
const runsOf = (operation: Operation) => ({ numRuns: searched.has(operation) ? 20 : 4, endOnFailure: true })

// Where a body is checked last, an unknown record is 404 before it.
const checkedFirst = withBody.filter(operation => jsonBodyOf(operation)?.isCheckedLast !== true)

const bodyOf = (operation: Operation) => {
  const at = `${placeOf(operation)}/requestBody${jsonContent}/schema`
  const validate = schemaAt(at)
  return {
    validate,
    bodies: valuesOf({ $ref: `#${at}` }, resolve).filter(body => validate(body) && !refersTwice(body)),
  }
}

describe.each(named(withBody))('the body of %s', (_, operation) => {
  it('is well-formed where the document says so', async () => {
    const { bodies } = bodyOf(operation)
    const { client } = await given.shared()
    await fc.assert(
      fc.asyncProperty(bodies, async body => {
        const answer = await client.call(operation.method, pathOf(operation, body), body)
        const wrong = malformedIn(answer).filter(issue => !isSaidInWords(issue))
        expect({ body, wrong }).toEqual({ body, wrong: [] })
      }),
      runsOf(operation),
    )
  })
})

describe.each(named(checkedFirst))('the body of %s', (_, operation) => {
  it('is malformed where the document says so', async () => {
    const { validate, bodies } = bodyOf(operation)
    const { client } = await given.shared()
    const violations = bodies
      .chain(body => changesOf(body))
      .filter(body => !validate(body) && !isTolerated(validate.errors))
    await fc.assert(
      fc.asyncProperty(violations, async body => {
        const answer = await client.call(operation.method, pathOf(operation, body), body)
        expect({ body, isMalformed: malformedIn(answer).length > 0 }).toEqual({ body, isMalformed: true })
      }),
      runsOf(operation),
    )
  })
})

describe.each(named(withQuery))('the query of %s', (_, operation) => {
  it.each(Object.keys(operation.query))('%s is as the document says', async name => {
    const { client } = await given.shared()
    const schema = schemaOfParameter(operation, name)
    const [path, required] = [operation.path.replaceAll(/\{\w+\}/gu, unknownId), requiredOf(operation, name)]
    const beyond = String(Number(schema.maximum ?? 0) + 1)
    const texts = [...(schema.type === 'string' ? ['', 'a\u0000b'] : ['0', beyond, 'x', ''])]
    for (const text of texts) {
      const query = new URLSearchParams({ ...required, [name]: text })
      const { status, error } = await client.get(`${path}?${query}`)
      expect({ text, status, code: error.code }).toMatchObject({ text, status: 400 })
    }
    // No id or date is empty. Other texts say so by their pattern or their length.
    const mayBeEmpty = !('format' in schema) && new RegExp(String(schema.pattern ?? ''), 'u').test('')
    if (schema.type === 'string' && mayBeEmpty) expect(schema.minLength).toBeGreaterThanOrEqual(1)
  })
})

/** No schema can say that each reference occurs once if it has other members beside it. */
function refersTwice(body: unknown): boolean {
  const lists = isObject(body) ? [body.contacts, body.targets] : []
  return lists.filter(Array.isArray).some(list => {
    const references = list.filter(isObject)
    return new Set(references.map(({ id, externalId }) => `${id} ${externalId}`)).size < references.length
  })
}

/** Records that nobody has: what is malformed is told before it is known who is asked for. */
function pathOf({ method, path }: Operation, body: unknown): string {
  const asked = method === 'DELETE' && !(isObject(body) && 'expectedVersion' in body) ? '?expectedVersion=1' : ''
  return `${path.replaceAll(/\{\w+\}/gu, unknownId)}${asked}`
}

/** That parts of an API integration fit together, and the id of a product to its path, no schema can say, nor all labels of encodings. */
const saidInWords = [
  /^\/encoding encoding$/u,
  /^\/id same$/u,
  /^\/url undeclared_parameter$/u,
  /^\/auth\/(headerName|username) (auth_type|header|format|required)$/u,
  /^\/headers\/\d+\/(name|value) (header|unique|doubled_header)$/u,
  /^\/parameters\/\d+\/(name (header|unique|doubled_header)|description required|required path)$/u,
  /^\/parameters\/\d+ unused_parameter$/u,
  /^\/parameters\/\d+\/enum(\/\d+ (type|maxLength)| unique)$/u,
]

function isSaidInWords(issue: unknown): boolean {
  return isObject(issue) && saidInWords.some(form => form.test(`${String(issue.path)} ${String(issue.rule)}`))
}

/** What is malformed, in the request or in elements of a batch. */
function malformedIn({ status, items, details }: Answer): unknown[] {
  if (status === 400) return Array.isArray(details.issues) ? details.issues : [details]
  return items.filter(item => item.status === 400).map(({ error }) => error)
}

function resolve(ref: string): JsonObject {
  const found = ref
    .slice(2)
    .split('/')
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), goldenDocument)
  if (!isObject(found)) throw new Error(`there is nothing at ${ref}`)
  return found
}

function parametersOf(operation: Operation): JsonObject[] {
  const { parameters } = resolve(`#${placeOf(operation)}`)
  return Array.isArray(parameters) ? parameters.filter(isObject) : []
}

function schemaOfParameter(operation: Operation, name: string): JsonObject {
  const schema = parametersOf(operation).find(parameter => parameter.name === name)?.schema
  return isObject(schema) ? schema : {}
}

/** The other parameters that have to be there. */
function requiredOf(operation: Operation, name: string): Record<string, string> {
  const others = parametersOf(operation).filter(({ in: place, required }) => place === 'query' && required === true)
  return Object.fromEntries(others.filter(other => other.name !== name).map(other => [String(other.name), 'xx']))
}

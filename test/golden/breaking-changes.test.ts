import { readFile } from 'node:fs/promises'
import { describe, expect, it, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { breakingChanges } from './breaking-changes.ts'
import { released, renderReleased } from './released.ts'
import { goldenDocument } from './render.ts'

test('the API has only grown since it was released', async () => {
  const last: unknown = JSON.parse(await readFile(new URL('released.json', import.meta.url), 'utf8'))
  if (!isObject(last)) throw new Error('released.json is no document')
  expect(breakingChanges(last, goldenDocument)).toEqual([])
})

test('every part of a document on which clients rely is kept', () => {
  const kept: unknown = JSON.parse(renderReleased(goldenDocument))
  expect(kept).toEqual(released(goldenDocument))
  if (!isObject(kept)) throw new Error('the document is gone')
  expect([breakingChanges(kept, goldenDocument), breakingChanges(goldenDocument, kept)]).toEqual([[], []])
})

/** A document with one route, whose request and answer have these members. */
function aDocument({
  body = {},
  required = ['title'],
  answer = {},
  always = ['id'],
  scopes = ['write'],
  query = {},
  operationId = 'things.create',
  media = 'application/json',
  schema = 'Thing',
} = {}): JsonObject {
  const request = { type: 'object', additionalProperties: false, required, properties: { title: text, ...body } }
  const data = { type: 'object', required: always, properties: { id: text, ...answer } }
  const post = {
    operationId,
    security: [{ token: scopes }],
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 }, ...query }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: { 201: { content: { [media]: { schema: data } } } },
  }
  return { paths: { '/things': { post } }, components: { schemas: { [schema]: request } } }
}

const text = { type: 'string', maxLength: 10 }
const kind = { type: 'string', enum: ['a', 'b'] }

describe('a change that breaks a client', () => {
  const name = 'POST /things'
  it.each([
    ['a route that is gone', {}, null, `${name} is gone`],
    ['a further scope', {}, { scopes: ['write', 'read'] }, `${name} needs read`],
    ['a parameter that is required', {}, { query: { required: true } }, `${name} query parameter limit is required`],
    [
      'a smaller maximum',
      {},
      { query: { schema: { type: 'integer', maximum: 50 } } },
      `${name} query parameter limit has a smaller maximum`,
    ],
    ['a parameter that is gone', {}, { query: { name: 'most' } }, `${name} query parameter limit is gone`],
    ['a member that requests may not hold', { body: { kind } }, {}, `${name} body /kind is gone`],
    [
      'a member that requests must hold',
      {},
      { body: { kind }, required: ['title', 'kind'] },
      `${name} body /kind is required`,
    ],
    [
      'a shorter text',
      {},
      { body: { title: { ...text, maxLength: 9 } } },
      `${name} body /title has a smaller maxLength`,
    ],
    [
      'a value that is gone',
      { body: { kind } },
      { body: { kind: { type: 'string', enum: ['a'] } } },
      `${name} body /kind may be b no more`,
    ],
    [
      'a null that is refused',
      { body: { kind: { type: ['string', 'null'] } } },
      { body: { kind: { type: 'string' } } },
      `${name} body /kind is null no more`,
    ],
    [
      'a pattern that a listed value does not match',
      { body: { kind } },
      { body: { kind: { type: 'string', pattern: '^a' } } },
      `${name} body /kind has another pattern`,
    ],
    ['a pattern', {}, { body: { title: { ...text, pattern: '^a' } } }, `${name} body /title has another pattern`],
    ['a member that answers lack', { answer: { kind } }, {}, `${name} 201 /kind is gone`],
    ['a member that answers may lack', {}, { always: [] }, `${name} 201 /id can be absent`],
    [
      'another name of the operation',
      {},
      { operationId: 'things.make' },
      `${name} is not called things.create any more`,
    ],
    ['another name of a schema', {}, { schema: 'Object' }, 'the schema Thing is gone'],
    ['an answer in another form', {}, { media: 'text/csv' }, `${name} 201 is not application/json any more`],
    [
      'an alternative that requests may not choose',
      { body: { kind: { anyOf: [text, kind] } } },
      { body: { kind: { anyOf: [text] } } },
      `${name} body /kind has another anyOf`,
    ],
    [
      'an alternative that answers may choose',
      { answer: { kind: { anyOf: [text] } } },
      { answer: { kind: { anyOf: [text, { type: 'integer' }] } } },
      `${name} 201 /kind has another anyOf`,
    ],
    [
      'a condition of requests',
      {},
      { body: { title: { ...text, not: { pattern: '^a' } } } },
      `${name} body /title has another not`,
    ],
    [
      'a default that is another',
      { body: { kind: { ...kind, default: 'a' } } },
      { body: { kind: { ...kind, default: 'b' } } },
      `${name} body /kind has another default`,
    ],
    ['a null in an answer', {}, { answer: { id: { type: ['string', 'null'] } } }, `${name} 201 /id may be null`],
  ] as const)('%s', (_, before, after, told) => {
    const current = after === null ? { paths: {} } : aDocument(widen(after))
    expect(breakingChanges(released(aDocument(widen(before))), current)).toContain(told)
  })

  it.each([
    ['nothing', {}, {}],
    ['a further member in requests', {}, { body: { kind } }],
    ['a further member in answers', {}, { answer: { kind }, always: ['id', 'kind'] }],
    ['a further value', { body: { kind } }, { body: { kind: { type: 'string', enum: ['a', 'b', 'c'] } } }],
    [
      'a pattern that listed values match',
      { body: { kind } },
      { body: { kind: { type: 'string', pattern: '^[^\\x00]*$' } } },
    ],
    ['a longer text', {}, { body: { title: { ...text, maxLength: 11 } } }],
    ['a member that is no longer required', {}, { required: [] }],
    ['a scope less', {}, { scopes: [] }],
    ['another description', {}, { body: { title: { ...text, description: 'Of the thing.', examples: ['a'] } } }],
    [
      'a further alternative in requests',
      { body: { kind: { anyOf: [text] } } },
      { body: { kind: { anyOf: [kind, text] } } },
    ],
  ] as const)('does not include %s', (_, before, after) => {
    expect(breakingChanges(aDocument(widen(before)), aDocument(widen(after)))).toEqual([])
  })
})

type Members = NonNullable<Parameters<typeof aDocument>[0]>

function widen(members: Readonly<Record<string, unknown>>): Members {
  return structuredClone(members)
}

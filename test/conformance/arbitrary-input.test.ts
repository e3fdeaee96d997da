import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crmConventions, type Operation } from '../../server/src/kernel/index.ts'

import { isUuid } from '../../server/src/kernel/schema/index.ts'
import { operations, resources } from '../../server/src/modules.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { aRequest, named, send, withMembers } from './support/requests.ts'
import { oneOfEachParameter, oneOfEachShape } from './support/shapes.ts'

const given = useApi()

/** Values that schemas, databases and languages are known to stumble over. */
const awkward = fc.constantFrom<unknown>(
  ...['', ' ', '0', '-1', 'null', 'NaN', '1e309', '\u2028', '\ufeff', '\u0001', '👩‍👧', "'; drop table contacts; --"],
  ...['2026-02-29', '+012026-01-01T00:00:00Z', '%00', '\\u0000', '${7*7}', '../..', 'x'.repeat(3000), '\u0301\u0301'],
  ...[0, -0, -1, 1.5, 1e21, 1e-7, 2 ** 31, 2 ** 53, Number.MAX_VALUE, true, false, null],
  ...[[], {}, [[]], [{}], [null], { id: null }, [{ id: 'x' }], { toString: 1 }, { length: -1 }, { constructor: {} }],
)
const values = fc.oneof({ arbitrary: awkward, weight: 3 }, fc.jsonValue({ maxDepth: 4 }))
const memberNames = [
  'externalId',
  'expectedVersion',
  'items',
  'position',
  'mode',
  'stageUuid',
  'tags',
  'lostReasonComment',
]
const fieldNames = [...new Set([...memberNames, ...resources.flatMap(({ fields }) => Object.keys(fields))])]
const bodies = fc.dictionary(fc.oneof(fc.constantFrom(...fieldNames), fc.string()), values, { maxKeys: 5 })

function expectEnvelope({ status, body, headers }: Answer, { envelope } = crmConventions): void {
  expect(status).toBeLessThan(500)
  const { success, failure, hasMeta } = envelope
  if (status < 300) expect(Object.keys(body)).toEqual([...Object.keys(success), 'data', ...(hasMeta ? ['meta'] : [])])
  else {
    const error = objectOf(body.error)
    expect(Object.keys(body)).toEqual([...Object.keys(failure), 'error'])
    expect([typeof error.code, typeof error.message, typeof error.details]).toEqual(['string', 'string', 'object'])
    expect(isUuid(String(error.requestId))).toBe(true)
  }
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
}

const withBody = operations.filter(({ method }) => method !== 'GET')
const batches = withBody.filter(({ path }) => path.includes('/batch/'))
const withQuery = operations.filter(({ query }) => Object.keys(query).length > 0)
const searched = new Set([...oneOfEachShape(withBody), ...oneOfEachParameter(operations).map(([, , it]) => it)])

/** How often an operation is tried: one of each shape is searched, the others are known to be alike. */
const runsOf = (operation: Operation) => ({ numRuns: searched.has(operation) ? 15 : 3 })

describe.each(named(withBody))('%s', (_, operation) => {
  it('answers any members in place of its own in the envelope, never with a failure inside', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    await fc.assert(
      fc.asyncProperty(bodies, async members => {
        expectEnvelope(await send(organization.client, withMembers(request, members)), operation.conventions)
      }),
      runsOf(operation),
    )
    expect(given.api.failures).toEqual([])
  })
})

describe.each(named(batches))('%s', (_, operation) => {
  it('answers any elements each with its own status', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const valid = request.body?.items
    const elements = fc.array(fc.oneof(values, bodies), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(elements, async items => {
        const sent = [...items, ...(Array.isArray(valid) ? valid.slice(0, 1) : [])]
        const answer = await send(organization.client, withMembers(request, { items: sent }))
        expectEnvelope(answer)
        expect(answer.items.map(({ index }) => index)).toEqual(sent.map((_, index) => index))
      }),
      runsOf(operation),
    )
    expect(given.api.failures).toEqual([])
  })
})

describe.each(named(withQuery))('%s', (_, operation) => {
  it('answers any values of its parameters in the envelope, never with a failure inside', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const [path = ''] = request.path.split('?')
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      awkward.map(value => JSON.stringify(value)),
    )
    const queries = fc.dictionary(fc.constantFrom(...Object.keys(operation.query)), texts)
    await fc.assert(
      fc.asyncProperty(queries, async query => {
        const well = Object.entries(query).map(([name, text]) => [name, text.toWellFormed()])
        const search = new URLSearchParams(Object.fromEntries(well))
        expectEnvelope(
          await send(organization.client, { ...request, path: `${path}?${search}` }),
          operation.conventions,
        )
      }),
      runsOf(operation),
    )
    expect(given.api.failures).toEqual([])
  })
})

describe('any bytes as body', () => {
  it('are answered in the envelope', async () => {
    const organization = await given.shared()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 100 }), async raw => {
        expectEnvelope(await organization.client.post('/contacts', {}, { raw }))
      }),
      { numRuns: 30 },
    )
  })
})

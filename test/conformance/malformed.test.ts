import { describe, expect, it } from 'vitest'
import { jsonBodyOf, type Operation } from '../../server/src/kernel/index.ts'
import { operations } from '../../server/src/modules.ts'
import type { CallOptions } from '../support/client.ts'
import { useApi } from './support/given.ts'
import {
  type ApiRequest,
  aRequest,
  issuePaths,
  issueRules,
  named,
  outcome,
  send,
  withMembers,
  withQuery,
} from './support/requests.ts'
import { oneOfEachParameter, oneOfEachShape } from './support/shapes.ts'

const given = useApi()

const requests = new Map<Operation, Promise<ApiRequest>>()

/** A request that is changed so that it is refused; it is never executed, and so made once. */
async function refusalOf(operation: Operation, change: (request: ApiRequest) => ApiRequest, options?: CallOptions) {
  const organization = await given.shared()
  const made = requests.get(operation) ?? aRequest(operation, organization)
  requests.set(operation, made)
  const answer = await send(organization.client, change(await made), options)
  return { ...answer, outcome: outcome(answer), paths: issuePaths(answer) }
}

/** The answer to a request that is changed, but may well be executed. */
async function answerOf(operation: Operation, change: (request: ApiRequest) => ApiRequest, options?: CallOptions) {
  const organization = await given.shared()
  return send(organization.client, change(await aRequest(operation, organization)), options)
}

const unchanged = (request: ApiRequest) => request
const invalid = '400 validation_error'

describe.each(named(operations))('%s', (_, operation) => {
  it('refuses an unknown query parameter in the envelope, with the rate headers', async () => {
    const { outcome, body, headers } = await refusalOf(operation, request => withQuery(request, 'colour=red'))
    expect(outcome).toBe(invalid)
    expect(body).toEqual({
      ...operation.conventions.envelope.failure,
      error: {
        code: 'validation_error',
        message: expect.any(String),
        details: {
          issues: [{ path: 'query:colour', rule: expect.any(String), message: expect.any(String) }],
          issueCount: 1,
        },
        requestId: headers.get('x-request-id'),
      },
    })
    expect(headers.get('ratelimit-limit')).not.toBeNull()
  })
})

describe.each(named(oneOfEachShape(operations)))('%s', (_, operation) => {
  it('takes names that objects have by nature for unknown query parameters', async () => {
    const query = '__proto__=1&constructor=2'
    const { outcome, paths } = await refusalOf(operation, request => withQuery(request, query))
    expect([outcome, paths]).toEqual([invalid, ['query:__proto__', 'query:constructor']])
  })
})

describe.each(oneOfEachParameter(operations))('%s with %s', (_, name, operation) => {
  it('refuses the parameter given twice', async () => {
    const { outcome, paths } = await refusalOf(operation, request => {
      const value = new URL(request.path, 'http://api').searchParams.get(name) ?? '1'
      const [path = ''] = request.path.split('?')
      return { ...request, path: `${path}?${name}=${value}&${name}=${value}` }
    })
    expect(outcome).toBe(invalid)
    expect(paths).toContain(`query:${name}`)
  })

  it('refuses U+0000 in the parameter', async () => {
    const { outcome, paths } = await refusalOf(operation, request => ({
      ...request,
      path: `${request.path.split('?')[0]}?${name}=a%00b`,
    }))
    expect(outcome).toBe(invalid)
    expect(paths).toContain(`query:${name}`)
  })
})

const limited = oneOfEachParameter(operations).filter(([, name]) => name === 'limit')

describe.each(limited)('%s with a %s', (_, __, operation) => {
  it.each([
    '0',
    '-1',
    '101',
    String(Number(operation.query.limit?.schema.maximum) + 1),
    '1.5',
    '1e1',
    '+5',
    '05',
    ' 5',
    'ten',
    '',
  ])('refuses %j instead of clamping it', async limit => {
    const query = `limit=${encodeURIComponent(limit)}`
    const { outcome, paths } = await refusalOf(operation, request => withQuery(request, query))
    expect([outcome, paths]).toEqual([invalid, ['query:limit']])
  })

  it.each([1, Number(operation.query.limit?.schema.maximum)])('takes %i', async limit => {
    const { status } = await answerOf(operation, request => withQuery(request, `limit=${limit}`))
    expect(status).toBe(200)
  })
})

const writes = operations.filter(({ idempotent }) => idempotent)

describe.each(named(oneOfEachShape(writes)))('%s', (_, operation) => {
  it.each([
    ['missing', null],
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'two words'],
    ['with a letter outside ASCII', 'clé'],
  ])('refuses an Idempotency-Key that is %s', async (_, key) => {
    const options = key === null ? { key } : { key: null, headers: { 'idempotency-key': key } }
    const { outcome, paths } = await refusalOf(operation, unchanged, options)
    expect([outcome, paths]).toEqual([invalid, ['header:Idempotency-Key']])
  })

  it('takes an Idempotency-Key of 255 visible characters', async () => {
    const { status } = await answerOf(operation, unchanged, { key: `!${operation.id}~`.padEnd(255, 'k') })
    expect(operation.success).toContain(status)
  })
})

const withBody = operations.filter(operation => jsonBodyOf(operation) !== null && operation.method !== 'GET')

describe.each(named(withBody))('%s', (_, operation) => {
  it('reports every fault of body, query and key at once', async () => {
    const change = (request: ApiRequest) =>
      withQuery(withMembers(request, { colour: 1, smell: 2 }), 'colour=red&colour=blue')
    const { outcome, paths } = await refusalOf(operation, change, operation.idempotent ? { key: null } : {})
    expect(outcome).toBe(invalid)
    const expected = ['/colour', '/smell', 'query:colour', ...(operation.idempotent ? ['header:Idempotency-Key'] : [])]
    expect(paths.toSorted()).toEqual(expected.toSorted())
  })
})

describe.each(named(oneOfEachShape(withBody)))('%s with a JSON body', (_, operation) => {
  const bodies: readonly (readonly [string, string, CallOptions])[] = [
    ['that is no JSON', 'json', { raw: '{"name": ' }],
    ['that holds NaN', 'json', { raw: '{"name": NaN}' }],
    ['that is not UTF-8', 'json', { raw: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]) }],
    ['that holds U+0000', 'text', { raw: '{"name": "a\\u0000b"}' }],
    ['that holds U+0000 in a name', 'text', { raw: '{"a\\u0000b": 1}' }],
    ['that holds a lone surrogate', 'text', { raw: '{"name": "\\ud83d"}' }],
    ['that is nested deeper than 32 levels', 'depth', { raw: `{"name": ${'['.repeat(32)}${']'.repeat(32)}}` }],
    ['that is nested a hundred thousand levels deep', 'depth', { raw: `${'['.repeat(1e5)}${']'.repeat(1e5)}` }],
    ['that is a list', 'type', { raw: '[]' }],
    ['that is null', 'type', { raw: 'null' }],
    ['of another content type', 'content_type', { headers: { 'content-type': 'text/plain' } }],
    ['of a content type that only begins alike', 'content_type', { headers: { 'content-type': 'application/jsonp' } }],
  ]

  it.each(bodies)('refuses one %s', async (_, rule, options) => {
    const change = (request: ApiRequest) => ({ ...request, body: request.body ?? { expectedVersion: 1 } })
    const answer = await refusalOf(operation, change, options)
    expect(answer.outcome).toBe(invalid)
    expect(issueRules(answer)).toEqual([rule])
  })

  it('does not take 32 levels for too deep', async () => {
    const answer = await refusalOf(operation, unchanged, { raw: `{"colour": ${'['.repeat(31)}${']'.repeat(31)}}` })
    expect(answer.outcome).toBe(invalid)
    expect(answer.paths).toContain('/colour')
    expect(issueRules(answer)).not.toContain('depth')
  })

  it('refuses unknown members, those that objects have by nature included', async () => {
    const raw = '{"colour": 1, "__proto__": {"name": "x"}, "constructor": 2}'
    const { outcome, paths } = await refusalOf(operation, unchanged, { raw })
    expect(outcome).toBe(invalid)
    expect(paths).toEqual(expect.arrayContaining(['/colour', '/__proto__', '/constructor']))
  })

  it('takes a media type with parameters, in capitals', async () => {
    const headers = { 'content-type': 'Application/JSON ; charset=UTF-8' }
    const { status } = await answerOf(operation, unchanged, { headers })
    expect(operation.success).toContain(status)
  })

  it('reports at most 100 issues', async () => {
    const members = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`colour${index}`, index]))
    const { paths } = await refusalOf(operation, request => withMembers(request, members))
    expect(paths).toHaveLength(100)
  })
})

describe.each(named(oneOfEachShape(withBody.filter(operation => jsonBodyOf(operation)?.required))))(
  '%s',
  (_, operation) => {
    it('refuses a request without body', async () => {
      const { outcome } = await refusalOf(operation, ({ method, path }) => ({ method, path }))
      expect(outcome).toBe(invalid)
    })

    it('takes an empty body for no body, whatever its content type', async () => {
      const change = ({ method, path }: ApiRequest) => ({ method, path })
      const answer = await refusalOf(operation, change, { raw: '', headers: { 'content-type': 'text/plain' } })
      expect(answer.outcome).toBe(invalid)
      expect(issueRules(answer)).toEqual(['required'])
    })
  },
)

const comparing = operations.filter(({ conventions }) => conventions.synchronizes)
const removals = comparing.filter(({ method }) => method === 'DELETE')

describe.each(named(removals))('%s', (_, operation) => {
  it('reports a missing version together with a missing key', async () => {
    const change = (request: ApiRequest) => ({ ...request, path: request.path.split('?')[0] ?? '' })
    const { paths } = await refusalOf(operation, change, { key: null })
    expect(paths.toSorted()).toEqual(['header:Idempotency-Key', 'query:expectedVersion'])
  })
})

describe.each(named(oneOfEachShape(removals)))('%s', (_, operation) => {
  it('takes an empty body for no body, although the JSON type is sent with it', async () => {
    const { status } = await answerOf(operation, unchanged, { raw: '' })
    expect(status).toBe(200)
  })

  it.each(['0', '1.0', '+1', ' 1', '-1', '1e0', 'one', '', '12345678901'])(
    'refuses the expected version %j in the query',
    async text => {
      const { outcome, paths } = await refusalOf(operation, request => ({
        ...request,
        path: request.path.replace('expectedVersion=1', `expectedVersion=${encodeURIComponent(text)}`),
      }))
      expect(outcome).toBe(invalid)
      expect(paths).toContain('query:expectedVersion')
    },
  )

  it('takes the expected version from the body', async () => {
    const change = (request: ApiRequest) => ({
      ...request,
      path: request.path.split('?')[0] ?? '',
      body: { expectedVersion: 1 },
    })
    expect((await answerOf(operation, change)).status).toBe(200)
  })

  it('takes the expected version from query and body when they agree, and refuses two that differ', async () => {
    expect((await answerOf(operation, request => ({ ...request, body: { expectedVersion: 1 } }))).status).toBe(200)
    const { outcome } = await refusalOf(operation, request => ({ ...request, body: { expectedVersion: 2 } }))
    expect(outcome).toBe(invalid)
  })
})

const changes = comparing.filter(({ method }) => method === 'PATCH' || method === 'PUT')

describe.each(named(changes))('%s', (_, operation) => {
  it('refuses a request without expected version', async () => {
    const { outcome, paths } = await refusalOf(operation, request =>
      withMembers(request, { expectedVersion: undefined }),
    )
    expect([outcome, paths]).toEqual([invalid, ['/expectedVersion']])
  })
})

describe.each(named(oneOfEachShape(changes)))('%s', (_, operation) => {
  it.each([[0], [-1], ['1'], [1.5], [null], [2 ** 53]])('refuses the expected version %j', async expectedVersion => {
    const { outcome, paths } = await refusalOf(operation, request => withMembers(request, { expectedVersion }))
    expect([outcome, paths]).toEqual([invalid, ['/expectedVersion']])
  })
})

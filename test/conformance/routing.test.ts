import { describe, expect, it } from 'vitest'
import { jsonBodyOf, type Operation } from '../../server/src/kernel/index.ts'
import { isUuid } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { rawCall } from './support/raw.ts'
import {
  aRecord,
  aRequest,
  idsIn,
  issuePaths,
  named,
  outcome,
  send,
  unknownId,
  withId,
  withMembers,
  withQuery,
} from './support/requests.ts'
import { oneOfEachShape } from './support/shapes.ts'

const given = useApi()
const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']

async function callExactly(method: string, path: string) {
  const headers = { authorization: `Bearer ${(await given.shared()).client.token}` }
  return rawCall(given.api, { method, path, headers })
}

const parameter = /\{\w+\}/gu
const formOf = (path: string) => new RegExp(`^${path.replaceAll(parameter, '[^/]+')}$`, 'u')
const paths = [...new Set(operations.map(({ path }) => path))]

describe.each(paths)('%s', path => {
  // GET /contacts/upsert is a request for the contact of that id.
  const served = operations.filter(operation => formOf(operation.path).test(path))
  const known = served.map(({ method }): string => method)
  const unknown = methods.filter(method => !known.includes(method) && !(method === 'HEAD' && known.includes('GET')))
  const literal = path.replaceAll(parameter, unknownId)

  it(`knows no other method than ${known.join(', ')}: 404 not_found, without rate headers`, async () => {
    for (const method of unknown) {
      const { status, error, headers, text } = await callExactly(method, literal)
      expect([method, status]).toEqual([method, 404])
      if (method !== 'HEAD') {
        expect(error).toEqual({
          code: 'not_found',
          message: expect.stringContaining(`This path has no ${method}: it has `),
          details: { routes: expect.any(Array), document: '/openapi.json' },
          requestId: headers['x-request-id'],
        })
        const { routes } = objectOf(error.details)
        const told = Array.isArray(routes) ? routes.flatMap(route => objectOf(route).methods) : []
        expect(told.toSorted()).toEqual(known.flatMap(each => (each === 'GET' ? ['GET', 'HEAD'] : [each])).toSorted())
      } else expect(text).toBe('')
      expect(headers['ratelimit-limit']).toBeUndefined()
      expect(headers.allow).toBeUndefined()
    }
  })
})

describe.each(named(oneOfEachShape(operations)))('%s', (_, { method, path }) => {
  const literal = path.replaceAll(parameter, unknownId)

  it.each([
    ['with a trailing slash', `${literal}/`],
    ['with a double slash', literal.replace('/v1/', '/v1//')],
    ['with a leading double slash', `/${literal}`],
    ['in capitals', literal.replace('/api/v1', '/API/V1')],
    ['with a dot segment', literal.replace('/v1/', '/v1/./')],
    ['of another version', literal.replace('/v1/', '/v2/')],
  ])('is not found %s', async (_, changed) => {
    const { status, error } = await callExactly(method, changed)
    expect([status, error.code]).toEqual([404, 'not_found'])
  })
})

describe.each(named(operations.filter(({ path }) => path.includes('{'))))('%s', (_, { method, path }) => {
  const [emptied] = path.match(parameter) ?? []
  const without = path.replace(emptied ?? '', '').replaceAll(parameter, unknownId)

  it.each([
    ['with a token', { authorization: true }],
    ['without a token', { authorization: false }],
  ])('is no route with nothing in the place of an id: 404 %s', async (_, { authorization }) => {
    const { client } = await given.shared()
    const headers: Record<string, string> = authorization ? { authorization: `Bearer ${client.token}` } : {}
    const { status, error, headers: answered } = await rawCall(given.api, { method, path: without, headers })
    expect([status, error.code, answered['ratelimit-limit']]).toEqual([404, 'not_found', undefined])
  })
})

/** Each operation once for each parameter in its path that is a UUID. */
const byParameter = (chosen: readonly Operation[]) =>
  chosen.flatMap(operation =>
    [...operation.path.matchAll(parameter)].flatMap(([name], place) =>
      operation.chosenIds.includes(name.slice(1, -1))
        ? []
        : [[`${operation.method} ${operation.path}`, name, place, operation] as const],
    ),
  )

/** A path of the operation with this id in one place. */
const pathWith = (path: string, name: string, id: string) => path.replace(name, id).replaceAll(parameter, unknownId)

const forgiving = operations.filter(({ conventions }) => !conventions.refusesMalformedIds)
const strict = operations.filter(({ conventions }) => conventions.refusesMalformedIds)

describe.each(byParameter(oneOfEachShape(forgiving)))('%s by %s', (_, name, __, operation) => {
  it.each([
    'nonsense',
    '0',
    '%2F',
    '..%2F..',
    '%00',
    'a%00b',
    '%zz',
    '%',
    'null',
    `${unknownId}a`,
    `%7B${unknownId}%7D`,
    unknownId.replaceAll('-', ''),
    'x'.repeat(1025),
    '%F0%9F%92%A9',
  ])('answers 404 not_found for the id %s', async id => {
    const { status, error } = await callExactly(operation.method, pathWith(operation.path, name, id))
    expect([status, error.code, error.details]).toEqual([404, 'not_found', {}])
  })
})

describe.each(byParameter(forgiving))('%s by %s', (_, name, __, operation) => {
  it('answers 404 for a malformed id although body, query and key are wrong too', async () => {
    const { client } = await given.shared()
    const path = `${pathWith(operation.path, name, 'nonsense')}?colour=red`
    const answer = await client.call(operation.method, path, undefined, {
      key: null,
      raw: operation.method === 'GET' ? undefined : '{',
    })
    expect(outcome(answer)).toBe('404 not_found')
  })
})

describe.each(byParameter(strict))('%s by %s', (_, name, __, operation) => {
  it.each(['nonsense', '0', '..%2F..', `${unknownId}a`, `%7B${unknownId}%7D`])(
    'reports the malformed id %s together with other faults',
    async id => {
      const { client } = await given.shared()
      const path = `${pathWith(operation.path, name, id)}?colour=red`
      const answer = await client.call(operation.method, path)
      expect(outcome(answer)).toBe('400 validation_error')
      expect(issuePaths(answer)).toEqual(expect.arrayContaining([`path:${name.slice(1, -1)}`, 'query:colour']))
    },
  )
})

describe.each(byParameter(operations))('%s by %s', (_, name, place, operation) => {
  it('takes an id in capitals, answers 404 for an unknown one, and 400 before that unless its body is checked last', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const unknown = withId(request, unknownId, place)
    const { status, error, headers } = await send(organization.client, unknown)
    expect([status, error.code, error.details]).toEqual([404, 'not_found', {}])
    expect(headers.get('ratelimit-limit')).not.toBeNull()

    const wrong =
      jsonBodyOf(operation) === null ? withQuery(unknown, 'colour=red') : withMembers(unknown, { colour: 1 })
    const refused = await send(organization.client, wrong)
    const isCheckedLast = jsonBodyOf(operation)?.isCheckedLast === true
    expect([outcome(refused), issuePaths(refused).length]).toEqual(
      isCheckedLast ? ['404 not_found', 0] : ['400 validation_error', 1],
    )

    const id = idsIn(request)[place] ?? ''
    const answer = await send(organization.client, withId(request, id.toUpperCase(), place))
    expect(operation.success).toContain(answer.status)
    // A set of links has no id.
    if (name === '{id}') expect(answer.data.id ?? id).toBe(id)
  })
})

describe('a path that is no route', () => {
  const unknown = { routes: expect.any(Array), document: '/openapi.json' }

  it.each(['/', '/api', '/api/v1', '/api/v1/crm', '/api/v1/crm/pets', '/wp-login.php', '/api/v1/crm/contacts/a/b/c/d'])(
    'is answered 404 in the form of the CRM, without a token too: %s',
    async path => {
      const { status, body, headers } = await rawCall(given.api, { path })
      expect(status).toBe(404)
      expect(body).toEqual({
        error: { code: 'not_found', message: expect.any(String), details: unknown, requestId: expect.any(String) },
      })
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(headers['ratelimit-limit']).toBeUndefined()
    },
  )

  it.each([
    '/api/v1/external/pets',
    '/api/v1/ai-agents/external/pets?x=1',
    '/api/v1/external',
    '/api/v1/ai-agents/external',
  ])('is answered 404 in the form of the channel and AI routes under their prefixes: %s', async path => {
    const { status, body } = await rawCall(given.api, { path })
    expect(status).toBe(404)
    expect(body).toEqual({
      status: 'ERROR',
      error: { code: 'not_found', message: expect.any(String), details: unknown, requestId: expect.any(String) },
    })
  })

  it('is answered with a request id, that of the client where it is safe', async () => {
    const plain = await rawCall(given.api, { path: '/api/v1/crm/pets' })
    expect(isUuid(String(plain.headers['x-request-id']))).toBe(true)
    const headers = { 'x-request-id': 'job-17' }
    expect((await rawCall(given.api, { path: '/api/v1/crm/pets', headers })).headers['x-request-id']).toBe('job-17')
  })
})

describe('routes that begin alike', () => {
  it.each(['contacts/upsert', 'contacts/batch', 'companies/upsert', 'deals/upsert', 'deals/move'])(
    'GET /%s looks for a record of that id: 404 with rate headers',
    async path => {
      const { client } = await given.shared()
      const answer = await client.get(`/${path}`)
      expect(outcome(answer)).toBe('404 not_found')
      expect(answer.headers.get('ratelimit-limit')).not.toBeNull()
    },
  )

  it.each([
    ['POST', '/companies/batch/get'],
    ['POST', '/companies/batch/upsert'],
    ['DELETE', `/companies/${unknownId}?expectedVersion=1`],
  ])('companies have no %s %s', async (method, path) => {
    const { client } = await given.shared()
    const answer = await client.call(method, path, method === 'POST' ? { items: [] } : undefined)
    expect(outcome(answer)).toBe('404 not_found')
    expect(answer.headers.get('ratelimit-limit')).toBeNull()
  })

  it('a record of another kind is not found under its id', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('company', organization)
    for (const plural of ['contacts', 'deals']) {
      expect(outcome(await client.get(`/${plural}/${id}`))).toBe('404 not_found')
    }
  })
})

describe('a request that is not HTTP', () => {
  it('is answered 400 in the error envelope', async () => {
    const headers = { 'x-long': 'x'.repeat(20_000) }
    const { status, error } = await rawCall(given.api, { path: '/api/v1/crm/contacts', headers })
    expect([status, error.code]).toEqual([400, 'validation_error'])
  })
})

describe('a path that is none of the API', () => {
  const crm = '/api/v1/crm'

  it.each([
    [`${crm}/contcats`, `${crm}/contacts`],
    [`${crm}/contact`, `${crm}/contacts`],
    [`${crm}/deal/${unknownId}`, `${crm}/deals/{id}`],
    [`${crm}/Companies`, `${crm}/companies`],
    ['/api/v2/crm/tasks', `${crm}/tasks`],
    ['/contacts', `${crm}/contacts`],
    [`${crm}/contacts/`, `${crm}/contacts/{id}`],
    ['/api/v1/external/channel', '/api/v1/external/channels'],
  ])('is answered with similar routes: %s', async (path, meant) => {
    const { error } = await callExactly('GET', path)
    expect(error.details).toMatchObject({
      routes: expect.arrayContaining([{ path: meant, methods: expect.arrayContaining(['GET']) }]),
      document: '/openapi.json',
    })
    expect(String(error.message)).toMatch(/^There is no such route: near it are .* All are in \/openapi\.json$/u)
  })

  it.each([['/'], [`${crm}/nothing-like-that`], [`${crm}/${'contacts/'.repeat(500)}`], [`/${'x'.repeat(8000)}`]])(
    'that resembles none is answered with the document alone: %.40s',
    async path => {
      const { status, error } = await callExactly('GET', path)
      expect([status, error.message]).toEqual([404, 'There is no such route. All are in /openapi.json'])
      expect(error.details).toEqual({ routes: [], document: '/openapi.json' })
    },
  )
})

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { exchange, type WireAnswer } from '../process/support/wire.ts'
import { aContact } from '../support/builders.ts'
import { useApi } from './support/given.ts'
import { aToken } from './support/tokens.ts'

const given = useApi()

const path = '/api/v1/crm/contacts'

/** Sends exactly these lines as the head of a request. */
async function send(lines: readonly string[], body = ''): Promise<WireAnswer> {
  const [answer, ...others] = await exchange(given.api.url, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
  expect(others).toEqual([])
  if (answer === undefined) throw new Error('closed without an answer')
  return answer
}

async function create(content: string, extra: readonly string[] = []): Promise<WireAnswer> {
  const authorization = `Authorization: Bearer ${await aToken(given, await given.shared())}`
  const own = [authorization, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]
  return send([`POST ${path} HTTP/1.1`, 'Host: a', ...own, ...extra], content)
}

const issuesOf = ({ error }: WireAnswer) => error.details

function refusedFor(header: string) {
  return { issues: [expect.objectContaining({ path: `header:${header}` })], issueCount: 1 }
}

describe('a header that says who calls and comes twice', () => {
  const tokens = async () => {
    const organization = await given.shared()
    return [await aToken(given, organization), await aToken(given, organization)] as const
  }

  it.each([
    [
      'Authorization, with two tokens',
      ([one, other]) => [`Authorization: Bearer ${one}`, `authorization: Bearer ${other}`],
    ],
    ['Authorization, with one token', ([one]) => [`Authorization: Bearer ${one}`, `Authorization: Bearer ${one}`]],
    ['Authorization, the second empty', ([one]) => [`Authorization: Bearer ${one}`, 'Authorization:']],
    ['X-Api-Token, with two tokens', ([one, other]) => [`X-Api-Token: ${one}`, `X-Api-Token: ${other}`]],
    ['X-Api-Token, with one token', ([one]) => [`X-Api-Token: ${one}`, `X-Api-Token: ${one}`]],
  ] satisfies [string, (tokens: readonly [string, string]) => string[]][])('is answered 401: %s', async (_, lines) => {
    const answer = await send([`GET ${path} HTTP/1.1`, 'Host: a', ...lines(await tokens())])
    expect([answer.status, answer.error.code]).toEqual([401, 'invalid_token'])
  })
})

describe('a header of the request that comes twice', () => {
  it.each([
    ['two hosts', ['Host: a', 'Host: b']],
    ['one host, said twice', ['Host: a', 'host: a']],
    ['no host', []],
  ])('is answered 400 before anything else: %s', async (_, hosts) => {
    const answer = await send([`GET ${path} HTTP/1.1`, ...hosts])
    expect([answer.status, issuesOf(answer)]).toEqual([400, refusedFor('Host')])
  })

  it.each([
    ['Idempotency-Key', [`Idempotency-Key: ${randomUUID()}`, `Idempotency-Key: ${randomUUID()}`]],
    ['Idempotency-Key', ['Idempotency-Key: once', 'idempotency-key: once']],
    ['Content-Type', [`Idempotency-Key: ${randomUUID()}`, 'Content-Type: text/plain']],
  ])('is answered 400 that names it: %s, %j', async (name, lines) => {
    const answer = await create(JSON.stringify(aContact()), lines)
    expect([answer.status, issuesOf(answer)]).toEqual([400, refusedFor(name)])
  })

  it.each([
    ['one length, said twice', ['Content-Length: 2', 'Content-Length: 2']],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 4']],
    ['a list of lengths', ['Content-Length: 2, 2']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 2']],
    ['chunks that are not the last encoding', ['Transfer-Encoding: chunked, gzip']],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
  ])('is answered 400 where it gives the length of the body: %s', async (_, lines) => {
    const answer = await send([`POST ${path} HTTP/1.1`, 'Host: a', ...lines], '{}')
    expect([answer.status, answer.error.code]).toEqual([400, 'validation_error'])
  })
})

describe('the encoding of a body', () => {
  const key = () => `Idempotency-Key: ${randomUUID()}`

  it.each(['gzip', 'br', 'identity, gzip', 'x'])('is refused with 400 that names it: %s', async encoding => {
    const answer = await create(JSON.stringify(aContact()), [key(), `Content-Encoding: ${encoding}`])
    expect([answer.status, issuesOf(answer)]).toEqual([400, refusedFor('Content-Encoding')])
  })

  it.each(['identity', 'Identity', ''])('may be identity: %j', async encoding => {
    const answer = await create(JSON.stringify(aContact()), [key(), `Content-Encoding: ${encoding}`])
    expect(answer.status).toBe(201)
  })
})

describe('a query', () => {
  const ask = async (query: string) => {
    const authorization = `Authorization: Bearer ${await aToken(given, await given.shared())}`
    return send([`GET ${path}?${query} HTTP/1.1`, 'Host: a', authorization])
  }

  it.each([
    ['search=%FF', 'search'],
    ['search=%C3%28', 'search'],
    ['search=%', 'search'],
    ['search=100%zz&limit=1', 'search'],
    ['limit=1&search=%ED%A0%80', 'search'],
    ['search=%C0%AF', 'search'],
    ['s%FF=1', 's%FF'],
  ])('with a percent sequence that is no UTF-8 is refused, naming the parameter: %s', async (query, name) => {
    const answer = await ask(query)
    const issue = { path: `query:${name}`, rule: 'encoding', message: expect.stringContaining('UTF-8') }
    expect([answer.status, answer.error.details]).toEqual([400, { issues: [issue], issueCount: 1 }])
  })

  it.each(['search=%D0%B0%D0%BD+x', 'search=%F0%9F%AA%91%2Bx', 'search=50%25%26'])(
    'in UTF-8 is taken: %s',
    async query => {
      expect((await ask(query)).status).toBe(200)
    },
  )
})

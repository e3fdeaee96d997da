import { describe, expect, it } from 'vitest'
import { refused } from '../../../../test/support/decisions.ts'
import { type Auth, apiIntegrationRules, contradictions, type Parameter } from './api-integration.rules.ts'

const parameter = (name: string, place: Parameter['in']): Parameter => ({
  name,
  in: place,
  type: 'string',
  description: '',
  required: true,
  enum: null,
})
const auth = (type: Auth['type'], headerName: string | null = null): Auth => ({ type, headerName, username: null })

const stored = {
  url: 'https://a.example/b',
  parameters: [],
  headers: [],
  auth: auth('bearer'),
  bodyTemplate: null,
  secret: 'encrypted',
  secretUpdatedAt: '2026-01-01T00:00:00.000Z',
}
const now = '2026-03-02T10:00:00.000Z'

/** An integration that has changed from what is stored, by what was sent. */
function changed(
  members: Partial<typeof stored>,
  input: Record<string, unknown> = members,
  previous: typeof stored | null = stored,
) {
  return apiIntegrationRules.settle({ ...stored, ...members }, { previous, input, write: { now } })
}

describe('the secret of an API integration', () => {
  it('stays, with its time, while host and kind of proof stay', () => {
    expect(changed({ url: 'https://A.example:443/c' })).toEqual({ ...stored, url: 'https://A.example:443/c' })
  })

  it.each([{ url: 'https://b.example/b' }, { url: 'https://a.example:8443/b' }, { auth: auth('basic') }])(
    'goes with %j, unless one is sent along',
    members => {
      expect(changed(members)).toMatchObject({ secret: null, secretUpdatedAt: null })
      expect(changed(members, { ...members, secret: 'new' })).toMatchObject({
        secret: 'encrypted',
        secretUpdatedAt: now,
      })
    },
  )

  it('has the time at which it was sent, and none once it is taken away', () => {
    expect(changed({}, { secret: 'new' })).toMatchObject({ secretUpdatedAt: now })
    expect(changed({}, { secret: null })).toMatchObject({ secretUpdatedAt: null })
  })

  it('is absent from a new integration that was sent without one', () => {
    expect(changed({}, {}, null)).toMatchObject({ secret: null, secretUpdatedAt: null })
  })

  it('does not hide a contradiction in the request', () => {
    expect(refused(changed({ url: 'https://a.example/{b}' }))).toEqual([
      422,
      'validation_error',
      '/url undeclared_parameter',
    ])
  })
})

const inPath = parameter('id', 'path')
const inQuery = parameter('q', 'query')
const inBody = parameter('text', 'body')

describe('a contradiction', () => {
  it.each([
    { parts: { url: 'https://a.example/{id}', parameters: [inPath] }, issues: [] },
    { parts: { url: 'https://a.example/b', parameters: [inQuery] }, issues: [] },
    { parts: { url: 'https://a.example/b?q={q}', parameters: [inQuery] }, issues: [] },
    { parts: { url: 'https://a.example/{id}' }, issues: [] },
    { parts: { parameters: [inPath] }, issues: [] },
    {
      parts: { url: 'https://a.example/{q}?q={id}', parameters: [inQuery, inPath] },
      issues: [
        ['/url', 'undeclared_parameter', '{q} stands in the path, but there is no parameter q in: path'],
        ['/url', 'undeclared_parameter', '{id} stands in the query, but there is no parameter id in: query'],
        ['/parameters/1', 'unused_parameter', 'The path of url has no {id}'],
      ],
    },
    { parts: { bodyTemplate: 'x {text} {other}', parameters: [inBody, inQuery] }, issues: [] },
    { parts: { bodyTemplate: null, parameters: [inBody] }, issues: [] },
    { parts: { bodyTemplate: 'x {text}' }, issues: [] },
    {
      parts: { bodyTemplate: 'x {q}', parameters: [inQuery, inBody] },
      issues: [['/parameters/1', 'unused_parameter', 'bodyTemplate has no {text}']],
    },
  ])('is found in the placeholders of $parts', ({ parts, issues }) => {
    expect(contradictions(parts).map(({ path, rule, message }) => [path, rule, message])).toEqual(issues)
  })

  const headers = [
    { name: 'Accept', value: '*/*' },
    { name: 'AUTHORIZATION', value: 'x' },
    { name: 'x-key', value: 'x' },
  ]

  const doubled = (index: number, name: string) => ({
    path: `/headers/${index}/name`,
    rule: 'doubled_header',
    message: `The header ${name} is that of auth`,
  })

  it.each([
    { given: undefined, issues: [] },
    { given: auth('none', 'Accept'), issues: [] },
    { given: auth('bearer'), issues: [doubled(1, 'AUTHORIZATION')] },
    { given: auth('api_key', 'X-Key'), issues: [doubled(1, 'AUTHORIZATION'), doubled(2, 'x-key')] },
  ])('is found in headers that come also from $given', ({ given, issues }) => {
    expect(contradictions({ headers, ...(given === undefined ? {} : { auth: given }) })).toEqual(issues)
  })

  it('is found in headers that a parameter fills', () => {
    const parameters = [
      parameter('Accept', 'query'),
      parameter('ACCEPT', 'header'),
      parameter('authorization', 'header'),
    ]
    expect(contradictions({ headers: [{ name: 'Accept', value: '*/*' }], parameters, auth: auth('basic') })).toEqual([
      { path: '/parameters/1/name', rule: 'doubled_header', message: 'The header ACCEPT is that of headers' },
      { path: '/parameters/2/name', rule: 'doubled_header', message: 'The header authorization is that of auth' },
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../kernel/schema/index.ts'
import type { Parameter } from '../api-integration.rules.ts'
import { fillPlaceholders, hostOf, wrongUrl } from '../placeholders.rules.ts'
import { type Callable, fillRequest } from './fill-request.ts'

const secret = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'

function parameter(name: string, place: Parameter['in'], members: Partial<Parameter> = {}): Parameter {
  return { name, in: place, type: 'string', description: name, required: place === 'path', enum: null, ...members }
}

function aCallable(members: Partial<Callable> = {}): Callable {
  const auth = { type: 'none', headerName: null, username: null } as const
  return {
    method: 'POST',
    url: 'https://api.example.com/',
    parameters: [],
    headers: [],
    auth,
    bodyTemplate: null,
    timeoutSeconds: 10,
    secret: null,
    ...members,
  }
}

function filled(members: Partial<Callable>, values: unknown = {}) {
  const request = fillRequest(aCallable(members), values)
  if (request instanceof Refusal) throw new Error(JSON.stringify(request.details))
  return request
}

/** The message of each issue. */
function refused(members: Partial<Callable>, values: unknown = {}): unknown {
  const refusal = fillRequest(aCallable(members), values)
  const issues = refusal instanceof Refusal ? refusal.details.issues : null
  return Array.isArray(issues) ? issues.map(({ message }) => message) : null
}

const everyText = fc.string({ unit: 'binary', minLength: 1 }).filter(text => text.isWellFormed())

describe('the address', () => {
  const url = 'https://api.example.com/a/{id}/b?fixed=1&q={text}'
  const parameters = [parameter('id', 'path'), parameter('text', 'query'), parameter('more', 'query')]

  it('has each value at its place, and leaves out parameters without a value', () => {
    const at = (values: object) => filled({ url, parameters }, values).url.href
    expect(at({ id: '7' })).toBe('https://api.example.com/a/7/b?fixed=1')
    expect(at({ id: '7', text: '', more: '' })).toBe('https://api.example.com/a/7/b?fixed=1&q=&more=')
    expect(at({ id: 'ä/../?#&=% ', text: 'a&b=c#d', more: '+ ' })).toBe(
      'https://api.example.com/a/%C3%A4%2F..%2F%3F%23%26%3D%25%20/b?fixed=1&q=a%26b%3Dc%23d&more=%2B%20',
    )
  })

  it('is not changed beyond the place of a value, whatever the value is', () => {
    fc.assert(
      fc.property(everyText, everyText, (id, text) => {
        const request = fillRequest(aCallable({ url, parameters }), { id, text })
        if (request instanceof Refusal) {
          expect(/^\.{1,2}$/u.test(id)).toBe(true)
          return
        }
        const { origin, pathname, searchParams, hash } = request.url
        const [, a, value = '', b, ...rest] = pathname.split('/')
        expect([origin, a, decodeURIComponent(value), b, rest, hash]).toEqual([
          ...['https://api.example.com', 'a', id, 'b', [], ''],
        ])
        expect([...searchParams]).toEqual([
          ['fixed', '1'],
          ['q', text],
        ])
      }),
    )
  })

  it('has the host to which the secret belongs, whatever a template and its values are', () => {
    const piece = fc.constantFrom(
      ...'/?#@:\\{}.&=% ',
      '{id}',
      '{text}',
      'a',
      'ä',
      '//',
      '..',
      '%2e',
      '[',
      ']',
      '\t',
      '1',
      'evil',
    )
    const template = fc.array(piece, { maxLength: 12 }).map(pieces => `https://${pieces.join('')}`)
    const values = fc.record({ id: fc.array(piece, { minLength: 1 }), text: fc.array(piece) })
    let called = 0
    fc.assert(
      fc.property(template, values, (url, { id, text }) => {
        if (wrongUrl(url) !== null) return
        const request = fillRequest(aCallable({ url, parameters }), { id: id.join(''), text: text.join('') })
        if (request instanceof Refusal) return
        called += 1
        const { host, username, password, protocol } = request.url
        expect([host, username, password, protocol]).toEqual([hostOf(url), '', '', 'https:'])
        expect(host).toBe(new URL(fillPlaceholders(url, () => 'x')).host)
      }),
      { numRuns: 5000 },
    )
    expect(called).toBeGreaterThan(50)
  })

  it.each([
    ['https://api.example.com/a/{id}/b', '.'],
    ['https://api.example.com/a/{id}/b', '..'],
    ['https://api.example.com/a/.{id}/b', '.'],
    ['https://api.example.com/a/%2e{id}', '.'],
    ['https://api.example.com/a/%2E{id}/b', '.'],
  ])('leads to no other folder: %s with %s', (address, id) => {
    expect(refused({ url: address, parameters: [parameter('id', 'path')] }, { id })).toEqual([
      expect.stringContaining('another path'),
    ])
  })

  it('has 8192 characters at most', () => {
    expect(refused({ url, parameters }, { id: '1', text: 'ä'.repeat(1500) })).toEqual([expect.stringContaining('8192')])
  })
})

describe('the headers', () => {
  it('are those of the list, of parameters and of the secret', () => {
    const headers = [{ name: 'Accept', value: 'text/plain' }]
    const parameters = [parameter('X-Language', 'header'), parameter('X-Other', 'header')]
    const auth = { type: 'bearer', headerName: null, username: null } as const
    expect(filled({ headers, parameters, auth, secret }, { 'X-Language': 'de' }).headers).toEqual({
      Accept: 'text/plain',
      'X-Language': 'de',
      Authorization: `Bearer ${secret}`,
    })
  })

  it.each(['a\r\nX-Other: b', 'a\nb', '\u0000', ' a', 'ä', 'a\u007f'])(
    'take no value that could be more: %j',
    value => {
      expect(refused({ parameters: [parameter('X-One', 'header')] }, { 'X-One': value })).toEqual([
        expect.stringContaining('X-One: A header takes visible ASCII'),
      ])
    },
  )

  it('carry the secret as auth says', () => {
    const basic = { type: 'basic', headerName: null, username: 'crm' } as const
    const key = { type: 'api_key', headerName: 'X-Key', username: null } as const
    expect(filled({ auth: basic, secret: 'pässword' }).headers).toEqual({
      Authorization: `Basic ${Buffer.from('crm:pässword').toString('base64')}`,
    })
    expect(filled({ auth: key, secret }).headers).toEqual({ 'X-Key': secret })
    expect(filled({ secret }).headers).toEqual({})
    for (const auth of [basic, key]) expect(refused({ auth })).toEqual([expect.stringContaining('There is no secret')])
    expect(refused({ auth: key, secret: 'pässword' })).toEqual(['The secret has characters that no header can have'])
  })
})

describe('the body', () => {
  const parameters = [
    parameter('text', 'body'),
    parameter('count', 'body', { type: 'number' }),
    parameter('sure', 'body', { type: 'boolean' }),
  ]

  it('is a JSON object of its parameters, or nothing', () => {
    expect(filled({ parameters }, { text: '"', count: 1.5 })).toMatchObject({
      body: '{"text":"\\"","count":1.5}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(filled({ parameters }).body).toBe('{}')
    expect(filled({})).toMatchObject({ body: null, headers: {} })
  })

  it('has values and parts of texts in a JSON template', () => {
    const bodyTemplate = '{"a": {text}, "b": "x {text} \\" {text}", "c": [{count}, {sure}], "d": {other}}'
    const { body } = filled({ parameters, bodyTemplate }, { text: 'say "hi"\n', count: 2, sure: false })
    expect(body).toBe(
      '{"a": "say \\"hi\\"\\n", "b": "x say \\"hi\\"\\n \\" say \\"hi\\"\\n", "c": [2, false], "d": {other}}',
    )
    expect(filled({ parameters, bodyTemplate }).body).toBe(
      '{"a": null, "b": "x  \\" ", "c": [null, null], "d": {other}}',
    )
  })

  it('stays the same JSON around any value', () => {
    const bodyTemplate = '{"alone": {text}, "within": "<{text}>"}'
    fc.assert(
      fc.property(everyText, text => {
        const { body } = filled({ parameters, bodyTemplate }, { text })
        expect(JSON.parse(body ?? '')).toEqual({ alone: text, within: `<${text}>` })
      }),
    )
  })

  it.each<readonly [string, string, string]>([
    ['application/x-www-form-urlencoded', 'a={text}&b=1', "a=x%26y%3D1+%22%3C'&b=1"],
    ['application/xml; charset=utf-8', '<a b="{text}"/>', '<a b="x&amp;y=1 &quot;&lt;&apos;"/>'],
    ['application/soap+xml', '<a>{text}</a>', '<a>x&amp;y=1 &quot;&lt;&apos;</a>'],
    ['text/plain', '{text}!', 'x&y=1 "<\'!'],
    ...[
      ...['application/vnd.api+json', 'application/vnd.shop.v2+json', 'text/json; charset=utf-8', 'Application/JSON'],
      ...['application/x-ndjson', 'application/jsonl', 'application/json-seq', 'application/x-amz-json-1.1'],
    ].map(type => [type, '{text}', '"x&y=1 \\"<\'"'] as const),
    ['application/graphql', '{ a(b:{text}) }', '{ a(b: "x&y=1 \\"<\'" ) }'],
  ])('is escaped as its type needs it: %s', (value, bodyTemplate, body) => {
    const headers = [{ name: 'content-type', value }]
    const request = filled({ headers, parameters, bodyTemplate }, { text: 'x&y=1 "<\'' })
    expect([request.body, request.headers]).toEqual([body, { 'content-type': value }])
  })

  it('has each value of a JSON line on its line, for readers that end lines at other characters too', () => {
    const headers = [{ name: 'Content-Type', value: 'application/x-ndjson' }]
    const { body } = filled(
      { headers, parameters, bodyTemplate: '{"a":{text}}\n' },
      { text: 'x\r\n\v\u0085\u2028\u2029y' },
    )
    expect(body).toBe('{"a":"x\\r\\n\\u000b\\u0085\\u2028\\u2029y"}\n')
  })

  describe('in GraphQL', () => {
    const headers = [{ name: 'Content-Type', value: 'application/graphql' }]
    const bodyOf = (bodyTemplate: string, text: string) => filled({ headers, parameters, bodyTemplate }, { text }).body
    const refusedIn = (bodyTemplate: string, text: string) => refused({ headers, parameters, bodyTemplate }, { text })

    it('has values as strings, and parts of strings', () => {
      expect(bodyOf('{ a(b: {text}, c: "x {text}", d: {count}) }', 'say "hi"\\\n')).toBe(
        '{ a(b:  "say \\"hi\\"\\\\\\n" , c: "x say \\"hi\\"\\\\\\n", d:  null ) }',
      )
    })

    it('knows a string from a comment with a quotation mark', () => {
      expect(bodyOf('# 5" {text}\n{ a(b: {text}) }', 'x\n"')).toBe('# 5" x\\n\\"\n{ a(b:  "x\\n\\"" ) }')
    })

    it('makes no block string of empty strings', () => {
      expect(bodyOf('{ a(b: [{text}"c"]) }', '')).toBe('{ a(b: [ "" "c"]) }')
    })

    it('has in block strings what needs no escape there', () => {
      const template = '{ a(b: """He said: {text}""", c: {text}) }'
      expect(bodyOf(template, "it's\nfine")).toBe('{ a(b: """He said: it\'s\nfine""", c:  "it\'s\\nfine" ) }')
      for (const text of ['"', 'x\\', '"""'])
        expect(refusedIn(template, text)).toEqual([expect.stringContaining('text: ')])
    })
  })

  it.each(['application/yaml', 'text/csv', 'multipart/form-data; boundary=x', 'application/sql', 'nonsense', ''])(
    'takes only values without special characters in a type with unknown quoting: %j',
    value => {
      const call = { headers: [{ name: 'Content-Type', value }], parameters, bodyTemplate: 'a{text}b{count}c{sure}' }
      for (const text of ['', 'Zoë', '7', 'a-b_c.d', 'anna@example.com', '2026-01-31'])
        expect(filled(call, { text, count: -1.5e30, sure: true }).body).toBe(`a${text}b-1.5e+30ctrue`)
      for (const text of ['a b', 'a\nb', '"', "'", 'a:', '=1', '-1', 'a--b', 'a,b', '#', '../a', '⑴', '\u00a0', 'a-'])
        expect(refused(call, { text })).toEqual([expect.stringMatching(/^text: .*letters, digits/u)])
    },
  )

  it('of plain text takes values of one line', () => {
    const call = { headers: [{ name: 'Content-Type', value: 'text/plain' }], parameters, bodyTemplate: 'Note: {text}' }
    expect(filled(call, { text: 'a "b" <c> & d,\te' }).body).toBe('Note: a "b" <c> & d,\te')
    for (const text of ['a\nb', 'a\rb', '\u0000', '\u001b', '\u0085', '\u2028'])
      expect(refused(call, { text })).toEqual([expect.stringMatching(/^text: .*line/u)])
  })

  it('is not written as a type that a value alone chose', () => {
    const chosen = parameter('Content-Type', 'header')
    const call = { parameters: [...parameters, chosen], bodyTemplate: '{"a": {text}}' }
    const values = { text: '1, "b": 2', 'Content-Type': 'text/plain' }
    expect(refused(call, values)).toEqual([expect.stringContaining('letters, digits')])
    expect(filled(call, { text: '"' }).body).toBe('{"a": "\\""}')
    const listed = { ...chosen, enum: ['application/json', 'application/ld+json'] }
    const withListed = { ...call, parameters: [...parameters, listed] }
    expect(filled(withListed, { ...values, 'Content-Type': 'application/ld+json' }).body).toBe('{"a": "1, \\"b\\": 2"}')
  })

  it('has no value directly behind a backslash, which would belong to the value', () => {
    expect(refused({ parameters, bodyTemplate: '{"a": "C:\\{text}"}' }, { text: '"' })).toEqual([
      expect.stringContaining('backslash'),
    ])
  })
})

describe('a value', () => {
  const parameters = [
    parameter('id', 'path', { type: 'integer' }),
    parameter('sort', 'query', { enum: ['up', 'down'], required: true }),
    parameter('text', 'query'),
  ]
  const call = { url: 'https://api.example.com/{id}', parameters }

  it.each<[unknown, readonly string[]]>([
    [{}, ['id is required', 'sort is required']],
    [{ id: '7', sort: 'up' }, ['id is a value of the type integer']],
    [{ id: 7.5, sort: 'up' }, ['id is a value of the type integer']],
    [{ id: 2 ** 60, sort: 'up' }, ['id is a value of the type integer']],
    [{ id: 7, sort: 'left' }, ['sort is one of up, down']],
    [{ id: 7, sort: 'up', text: 7 }, ['text is a value of the type string']],
    [{ id: 7, sort: 'up', text: null }, ['text is a value of the type string']],
    [{ id: 7, sort: 'up', text: { a: 1 } }, ['text is a value of the type string']],
    [{ id: 7, sort: 'up', text: 'x'.repeat(10_001) }, ['text has at most 10000 characters']],
    [{ id: 7, sort: 'up', text: '\ud800' }, ['text is not valid Unicode']],
    [{ id: 7, sort: 'up', constructor: 1 }, ['There is no parameter constructor']],
    [[], ['An object with a member for each parameter is expected']],
    [null, ['An object with a member for each parameter is expected']],
  ])('is refused with its reason: %j', (values, messages) => {
    expect(refused(call, values)).toEqual(messages)
  })

  it('cannot be empty where a path needs it', () => {
    const empty = { url: 'https://api.example.com/{id}', parameters: [parameter('id', 'path')] }
    expect(refused(empty, { id: '' })).toEqual(['id stands in the path and cannot be empty'])
    expect(filled(call, { id: 0, sort: 'down' }).url.href).toBe('https://api.example.com/0?sort=down')
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { aCalledServer, aCalledTlsServer } from '../../../../test/support/called-server.ts'
import { freePort } from '../../../../test/support/free-ports.ts'
import { Outbound, OutboundFailure } from './index.ts'

/** Names that were looked up. */
let lookedUp: string[] = []
beforeEach(() => {
  lookedUp = []
})

/** A lookup that knows one answer for each time that it is asked, and the last one from then on. */
function knowing(...answers: readonly (readonly string[])[]) {
  return async (name: string) => {
    const answer = answers[Math.min(lookedUp.length, answers.length - 1)] ?? []
    lookedUp.push(name)
    return answer.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

function call(outbound: Outbound, url: string, headers: Record<string, string> = {}) {
  return outbound.call({ method: 'GET', url: new URL(url), headers, body: null, timeoutSeconds: 5 })
}

const forbidden = { reason: 'forbidden' }
const answered = { status: 200, body: Buffer.from('hello') }

const spellings = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '169.254.169.254',
  '10.0.0.1',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
]

describe('an address in the URL', () => {
  it.each(spellings)('is not called unless it is public: %s', async host => {
    const { port, connections } = await aCalledServer()
    const outbound = new Outbound({ allowedNetworks: [], lookup: knowing([]) })

    for (const scheme of ['http', 'https']) {
      expect(await call(outbound, `${scheme}://${host}:${port}/`)).toMatchObject(forbidden)
    }
    expect(connections()).toBe(0)
  })

  it('is called when the operator allows its network, whatever its spelling', async () => {
    const { port } = await aCalledServer()
    const outbound = new Outbound({ allowedNetworks: ['127.0.0.1/32'] })

    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]'])
      expect(await call(outbound, `http://${host}:${port}/`), host).toMatchObject(answered)
    expect(await call(outbound, `http://127.0.0.2:${port}/`)).toMatchObject(forbidden)
  })
})

describe('a name', () => {
  it.each(['localhost', 'LOCALHOST', 'localhost.'])('of this machine is not called: %s', async host => {
    const { port, connections } = await aCalledServer()

    // With a dot at its end some systems know no such name.
    const reason = expect.stringMatching(/^(?:forbidden|unreachable)$/u)
    expect(await call(new Outbound({ allowedNetworks: [] }), `http://${host}:${port}/`)).toMatchObject({ reason })
    expect(connections()).toBe(0)
  })

  it.each([
    ['one private address', ['10.0.0.1']],
    ['a private address behind a public one', ['93.184.215.14', '127.0.0.1']],
    ['a private address before a public one', ['127.0.0.1', '93.184.215.14']],
    ['a private address of the other family', ['93.184.215.14', '::1']],
    ['an IPv4 address in another form', ['64:ff9b::7f00:1']],
  ])('with %s is not called at all', async (_what, addresses) => {
    const { port, connections } = await aCalledServer()
    const outbound = new Outbound({ allowedNetworks: [], lookup: knowing(addresses) })

    for (const host of ['crm.test', 'crm.test.', 'api.localhost'])
      expect(await call(outbound, `https://${host}:${port}/`)).toMatchObject(forbidden)
    expect(connections()).toBe(0)
  })

  it('is called at the address that was checked, and is not looked up again', async () => {
    const port = await freePort()
    const outside = await aCalledServer((_request, response) => response.end('outside'), { host: '127.0.0.2', port })
    const inside = await aCalledServer((_request, response) => response.end('inside'), { port })
    const outbound = new Outbound({ allowedNetworks: ['127.0.0.2'], lookup: knowing(['127.0.0.2'], ['127.0.0.1']) })

    expect(await call(outbound, `http://crm.test:${port}/`)).toMatchObject({ body: Buffer.from('outside') })
    expect(lookedUp).toEqual(['crm.test'])
    expect(await call(outbound, `http://crm.test:${port}/`)).toMatchObject(forbidden)
    expect(lookedUp).toEqual(['crm.test', 'crm.test'])
    expect([outside.connections(), inside.connections()]).toEqual([1, 0])
  })

  it('is called at the next of its addresses when one does not answer', async () => {
    const { port } = await aCalledServer()
    const outbound = new Outbound({ allowedNetworks: ['127.0.0.0/8'], lookup: knowing(['127.0.0.9', '127.0.0.1']) })

    expect(await call(outbound, `http://crm.test:${port}/`)).toMatchObject(answered)
  })

  it('without an address, or an unknown one, is not reached', async () => {
    const unknown = async () => {
      throw new Error('getaddrinfo ENOTFOUND crm.test')
    }

    for (const lookup of [knowing([]), unknown])
      expect(await call(new Outbound({ allowedNetworks: [], lookup }), 'https://crm.test/')).toMatchObject({
        reason: 'unreachable',
        message: expect.stringContaining('crm.test'),
      })
  })
})

describe('the scheme', () => {
  it('is https for every address that the operator has not allowed', async () => {
    const outbound = new Outbound({ allowedNetworks: [], lookup: knowing(['93.184.215.14']) })

    expect(await call(outbound, 'http://93.184.215.14/')).toMatchObject(forbidden)
    expect(await call(outbound, 'http://crm.test/')).toMatchObject(forbidden)
  })

  it.each([
    'ftp://93.184.215.14/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'ws://127.0.0.1/',
    'unix:/tmp/socket',
  ])('is no other one: %s', async url => {
    expect(await call(new Outbound({ allowedNetworks: ['127.0.0.0/8'] }), url)).toMatchObject(forbidden)
  })
})

it('calls no URL with a user name or password', async () => {
  const { port, connections } = await aCalledServer()
  const outbound = new Outbound({ allowedNetworks: ['127.0.0.0/8'] })

  for (const user of ['user', 'user:password', ':password', 'example.com%2f'])
    expect(await call(outbound, `http://${user}@127.0.0.1:${port}/`)).toMatchObject(forbidden)
  expect(connections()).toBe(0)
})

describe('the certificate', () => {
  const lookup = knowing(['127.0.0.1'])
  const allowedNetworks = ['127.0.0.0/8']

  it('is checked against the name of the URL', async () => {
    const { port, certificate: authorities, received } = await aCalledTlsServer(['crm.test'])
    const outbound = new Outbound({ allowedNetworks, lookup, authorities })

    expect(await call(outbound, `https://crm.test:${port}/`)).toMatchObject(answered)
    expect(await call(outbound, `https://crm.test.:${port}/`)).toMatchObject(answered)
    for (const host of ['other.test', '127.0.0.1'])
      expect(await call(outbound, `https://${host}:${port}/`)).toMatchObject({ reason: 'unreachable' })
    expect(received).toHaveLength(2)
  })

  it('cannot be that of another name by way of a header', async () => {
    const { port, certificate: authorities, received } = await aCalledTlsServer(['crm.test'])
    const outbound = new Outbound({ allowedNetworks, lookup, authorities })

    expect(await call(outbound, `https://other.test:${port}/`, { HOST: 'crm.test' })).toMatchObject(forbidden)
    expect(received).toEqual([])
  })

  it('has to come from an authority, whatever the environment says', async () => {
    const { port, received } = await aCalledTlsServer(['crm.test'])
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const answer = await call(new Outbound({ allowedNetworks, lookup }), `https://crm.test:${port}/`)
      expect(answer).toBeInstanceOf(OutboundFailure)
      expect(answer).toMatchObject({ reason: 'unreachable' })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
    expect(received).toEqual([])
  })
})

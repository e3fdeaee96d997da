import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { aCalledServer } from '../../../../test/support/called-server.ts'
import { until } from '../../../../test/support/waiting.ts'
import { KeptConnections, OutboundFailure } from './index.ts'

afterEach(() => vi.restoreAllMocks())

const bounds = { connections: 10, perOwner: 10, callMilliseconds: 10_000, answerBytes: 1000, lookups: 2 }
const allowedNetworks = ['127.0.0.0/8']

/** Connections with a look-up whose answer a test changes, and that counts how often it is asked. */
function connectionsTo(addresses: readonly string[]) {
  const found = { addresses, asked: 0 }
  const lookup = async () => {
    found.asked += 1
    return found.addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  const kept = new KeptConnections({ allowedNetworks, lookup }, bounds)
  onTestFinished(() => kept.close())
  const post = (url: string) => kept.post({ owner: 'one', url: new URL(url), headers: {}, body: '{}' })
  return { found, kept, post }
}

it('a call that is under way when connections are closed fails, and is not made again over a new connection', async () => {
  const { port, received, connections } = await aCalledServer((request, response) => {
    if (request.url === '/at-once') response.end('hello')
  })
  const { kept, post } = connectionsTo([])
  const at = `http://127.0.0.1:${port}`
  expect(await post(`${at}/at-once`)).toMatchObject({ status: 200 })
  const hanging = post(`${at}/never`)
  await until('the second call', () => received.length === 2)
  await kept.close()
  expect(await hanging).toBeInstanceOf(OutboundFailure)
  expect([received.length, connections()]).toEqual([2, 1])
})

it('no call is made after connections were closed', async () => {
  const { port, connections } = await aCalledServer((_, response) => response.end())
  const { kept, post } = connectionsTo([])
  await kept.close()
  expect(await post(`http://127.0.0.1:${port}/`)).toBeInstanceOf(OutboundFailure)
  expect([kept.size, connections()]).toEqual([0, 0])
})

const forbidden = [
  [['10.0.0.1']],
  [['169.254.169.254']],
  [['::1']],
  [['::ffff:10.0.0.1']],
  [['::ffff:a9fe:a9fe']],
  [['64:ff9b::a00:1']],
  [['fd00::1']],
  [['127.0.0.1', '10.0.0.1']],
]

describe('a name that leads to forbidden addresses after it was called', () => {
  it.each(forbidden)('is not called at %j once the receiver has closed the connection', async addresses => {
    const { port, received, connections } = await aCalledServer((request, response) => {
      response.end()
      request.socket.destroySoon()
    })
    const { found, kept, post } = connectionsTo(['127.0.0.1'])
    expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ status: 200 })
    found.addresses = addresses
    expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ reason: 'forbidden' })
    expect([received.length, connections(), kept.size]).toEqual([1, 1, 0])
  })

  it.each(forbidden)('is not called at %j, nor over the open connection, after five minutes', async addresses => {
    const { port, received, connections } = await aCalledServer((_, response) => response.end())
    const { found, kept, post } = connectionsTo(['127.0.0.1'])
    expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ status: 200 })
    found.addresses = addresses
    const later = performance.now() + 300_000
    vi.spyOn(performance, 'now').mockImplementation(() => later)
    expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ reason: 'forbidden' })
    expect([received.length, connections(), kept.size]).toEqual([1, 1, 0])
  })

  it('is looked up once for each connection, which goes to the addresses that were checked', async () => {
    const { port, received } = await aCalledServer((_, response) => response.end())
    const { found, post } = connectionsTo(['127.0.0.1'])
    const first = post(`http://receiver.example:${port}/`)
    // The check has its answer; whatever is found from now on counts for the next connection.
    await until('the look-up', () => found.asked === 1)
    found.addresses = ['10.0.0.1']
    expect(await first).toMatchObject({ status: 200 })
    for (let count = 0; count < 3; count += 1)
      expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ status: 200 })
    expect([found.asked, received.length]).toEqual([1, 4])
  })
})

describe('an open connection', () => {
  it.each([
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://user:secret@receiver.example/',
    'ftp://receiver.example/',
  ])('does not make %s a destination', async url => {
    const { port, received } = await aCalledServer((_, response) => response.end())
    const { post } = connectionsTo(['127.0.0.1'])
    expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ status: 200 })
    expect(await post(url)).toMatchObject({ reason: 'forbidden' })
    expect(received).toHaveLength(1)
  })

  it('is not followed to where an answer leads', async () => {
    const elsewhere = await aCalledServer((_, response) => response.end())
    const { port, received, connections } = await aCalledServer((request, response) => {
      const location = `http://127.0.0.1:${elsewhere.port}/`
      if (request.url === '/elsewhere') response.writeHead(307, { location })
      response.end()
    })
    const { post } = connectionsTo(['127.0.0.1'])
    expect(await post(`http://receiver.example:${port}/`)).toMatchObject({ status: 200 })
    expect(await post(`http://receiver.example:${port}/elsewhere`)).toMatchObject({ status: 307 })
    expect([received.length, connections(), elsewhere.received.length]).toEqual([2, 1, 0])
  })

  it('serves the calls of its owner alone', async () => {
    const { port, connections } = await aCalledServer((_, response) => response.end())
    const { found, kept } = connectionsTo(['127.0.0.1'])
    const call = { url: new URL(`http://receiver.example:${port}/`), headers: {}, body: '{}' }
    expect(await kept.post({ ...call, owner: 'one' })).toMatchObject({ status: 200 })
    found.addresses = ['10.0.0.1']
    expect(await kept.post({ ...call, owner: 'another' })).toMatchObject({ reason: 'forbidden' })
    expect(connections()).toBe(1)
  })
})

it('a name that is looked up for ever keeps nobody from being called', async () => {
  const { port } = await aCalledServer()
  let asked = 0
  const lookup = async (name: string) => {
    if (name === 'well.example') return [{ address: '127.0.0.1', family: 4 }]
    asked += 1
    return new Promise<never>(() => {})
  }
  const kept = new KeptConnections({ allowedNetworks: ['127.0.0.0/8'], lookup }, bounds)
  const post = (host: string) =>
    kept.post({ owner: 'one', url: new URL(`http://${host}:${port}/`), headers: {}, body: '{}' })
  const hanging = Array.from({ length: 5 }, () => post('hanging.example'))
  await until('a look-up', () => asked > 0)
  expect(await post('well.example')).toMatchObject({ status: 200 })
  expect(asked).toBe(1)
  await kept.close()
  expect(hanging).toHaveLength(5)
})

import { expect, it } from 'vitest'
import { aCalledServer } from '../../../../test/support/called-server.ts'
import { until } from '../../../../test/support/waiting.ts'
import { KeptConnections, OutboundFailure } from './index.ts'

it('a call that is under way when connections are closed fails, and is not made again over a new connection', async () => {
  const { port, received, connections } = await aCalledServer((request, response) => {
    if (request.url === '/at-once') response.end('hello')
  })
  const bounds = { connections: 10, perOwner: 10, callMilliseconds: 10_000, answerBytes: 1000 }
  const kept = new KeptConnections({ allowedNetworks: ['127.0.0.0/8'] }, bounds)
  const post = (path: string) =>
    kept.post({ owner: 'one', url: new URL(`http://127.0.0.1:${port}${path}`), headers: {}, body: '{}' })

  expect(await post('/at-once')).toMatchObject({ status: 200 })
  const hanging = post('/never')
  await until('the second call', () => received.length === 2)
  await kept.close()
  expect(await hanging).toBeInstanceOf(OutboundFailure)
  expect([received.length, connections()]).toEqual([2, 1])
})

import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { generate } from 'selfsigned'
import { onTestFinished } from 'vitest'

/** A received request with its body. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server that the product calls in a test. It ends with the test. */
export interface CalledServer {
  readonly port: number
  /** The received requests, oldest first. */
  readonly received: readonly Received[]
  /** How many connections were opened. */
  connections(): number
}

const hello: RequestListener = (_request, response) => response.end('hello')

/** Starts one that speaks HTTP, on an address of the loopback network. */
export async function aCalledServer(
  answer: RequestListener = hello,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<CalledServer> {
  return listening(listener => createServer(listener), answer, host, port)
}

/** Starts one that speaks HTTPS under these names, and creates its certificate. */
export async function aCalledTlsServer(names: readonly string[], answer: RequestListener = hello) {
  const altNames = names.map(value => ({ type: 2 as const, value }))
  const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  const server = await listening(listener => createTlsServer({ key, cert }, listener), answer, '127.0.0.1', 0)
  return { ...server, certificate: cert }
}

async function listening(
  create: (listener: RequestListener) => Server,
  answer: RequestListener,
  host: string,
  port: number,
): Promise<CalledServer> {
  const received: Received[] = []
  let connections = 0
  const server = create((request, response) => {
    const { method = '', url: path = '', headers } = request
    text(request).then(
      body => {
        received.push({ method, path, headers, body })
        answer(request, response)
      },
      () => {},
    )
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(port, host)
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return { port: address.port, received, connections: () => connections }
}

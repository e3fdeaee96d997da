import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port on which somebody listens until `close`, after which it is free. */
export async function aTakenPort(): Promise<{ port: number; close: () => void }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a server on a port has a port')
  return { port: address.port, close: () => server.close() }
}

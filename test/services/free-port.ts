import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port of the loopback address on which nobody listens. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** As many of them: all are taken before the first one is let go, so no two are equal. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const ports = servers.map(server => portOf(server.address()))
  for (const server of servers) server.close()
  await Promise.all(servers.map(server => once(server, 'close')))
  return ports
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

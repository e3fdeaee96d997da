import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Ports below the ephemeral range of the system (from 32768 on Linux, from 49152 elsewhere), so that no other program gets one by chance
 * while a test does not listen on it.
 */
const [first, last] = [20_000, 32_767]

/** A free port on the loopback addresses. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Several of them: all are bound before the first one is released, so they are distinct. */
export async function freePorts(count: number): Promise<number[]> {
  const taken: { readonly port: number; readonly servers: readonly Server[] }[] = []
  while (taken.length < count) {
    const port = randomInt(first, last + 1)
    const servers = await Promise.all(['127.0.0.1', '127.0.0.2'].map(host => listenerOn(host, port)))
    const listening = servers.filter(server => server !== null)
    if (listening.length === servers.length) taken.push({ port, servers: listening })
    else await closeAll(listening)
  }
  await closeAll(taken.flatMap(({ servers }) => servers))
  return taken.map(({ port }) => port)
}

/** Listens on the port, or returns null if it is in use. */
async function listenerOn(host: string, port: number): Promise<Server | null> {
  const server = createServer().listen(port, host)
  return once(server, 'listening').then(
    () => server,
    () => null,
  )
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  for (const server of servers) server.close()
  await Promise.all(servers.map(server => once(server, 'close')))
}

/** A port that is in use until `close`, and free afterwards. */
export async function aTakenPort(): Promise<{ port: number; close: () => void }> {
  const port = await freePort()
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port, close: () => server.close() }
}

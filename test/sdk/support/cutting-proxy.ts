import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A server in front of the API that cuts some exchanges. It ends with the test. */
export interface CuttingProxy {
  readonly url: string
  /** How many exchanges it has cut. */
  cuts(): number
}

/** What to do with an exchange: to cut it before the API sees it, to cut the answer, or to let it pass. */
export type Fate = 'before' | 'answer' | 'pass'

/** Starts one; `fateOf` is asked for each exchange, by its number from 1. */
export async function aCuttingProxy(target: string, fateOf: (exchange: number) => Fate): Promise<CuttingProxy> {
  let exchanges = 0
  let cuts = 0
  const cut = (incoming: IncomingMessage) => {
    cuts += 1
    incoming.socket.destroy()
  }
  const carry = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    exchanges += 1
    const fate = fateOf(exchanges)
    const body = await buffer(incoming)
    if (fate === 'before') return cut(incoming)
    const { method = 'GET', headers } = incoming
    const call = request(new URL(incoming.url ?? '/', target), { method, headers })
    call.end(body)
    const [answer] = await once(call, 'response')
    const content = await buffer(answer)
    if (fate === 'answer') return cut(incoming)
    outgoing.writeHead(answer.statusCode, answer.headers).end(content)
  }
  const server = createServer((incoming, outgoing) => void carry(incoming, outgoing).catch(() => outgoing.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(stop)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port')
  return { url: `http://127.0.0.1:${address.port}`, cuts: () => cuts }
}

/** Cuts every so many exchanges, in turn before the API sees it and after it has answered. */
export function cutOneIn(count: number): (exchange: number) => Fate {
  return exchange => {
    if (exchange % count !== 0) return 'pass'
    return exchange % (2 * count) === 0 ? 'before' : 'answer'
  }
}

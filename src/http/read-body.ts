import type { IncomingMessage } from 'node:http'
import { ClientGone, type Refusal, refuse } from '../kernel/index.ts'

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Gate 6: the whole body, or 413 by the declared length, or as soon as more than `limit` bytes have come. */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | Refusal> {
  const tooLarge = () => refuse('payload_too_large', { limitBytes: limit })
  if (!hasBody(request)) return Promise.resolve(new Uint8Array())
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(tooLarge())
  return new Promise((resolve, reject) => {
    if (request.destroyed && !request.complete) return reject(new ClientGone('the request ended early'))
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        request.removeAllListeners('data')
        request.pause()
        resolve(tooLarge())
      }
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(new ClientGone('the request ended early')))
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone('the request ended early'))
    })
  })
}

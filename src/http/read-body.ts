import type { IncomingMessage } from 'node:http'
import { Refusal, refuse } from '../kernel/index.ts'

/** The client went away before its request was complete; nobody is left to answer. */
export class ClientGone extends Error {}

/** Gate 6: the whole body, or 413 by the declared length, or as soon as more than `limit` bytes have come. */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | Refusal> {
  const tooLarge = () => refuse('payload_too_large', { limitBytes: limit })
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(tooLarge())
  return new Promise((resolve, reject) => {
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

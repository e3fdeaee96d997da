import type { ServerResponse } from 'node:http'
import { bounds, type StreamedReply } from '../../kernel/index.ts'

/**
 * Sends an answer while it is produced, no faster than the client reads it. If the answer cannot be completed, closes the connection, so
 * that no client takes a part for the whole. A live answer may take any time, unless its client does not read it.
 */
export async function streamAnswer(
  response: ServerResponse,
  { status, headers, stream }: StreamedReply,
  onFailure: (error: unknown) => void,
): Promise<void> {
  if (response.destroyed) return
  response.writeHead(status, headers)
  if (response.req.method === 'HEAD') return void response.end()
  response.flushHeaders()
  const source = stream.chunks[Symbol.asyncIterator]()
  const late = stream.isLive ? undefined : setTimeout(() => response.destroy(), bounds.streamedAnswer.most)
  response.once('close', () => {
    clearTimeout(late)
    // If the source is producing a chunk now, it ends after that chunk.
    if (!response.writableFinished) Promise.resolve(source.return?.()).catch(onFailure)
  })
  try {
    await pump(source, response, stream)
  } catch (error) {
    // After the client has left, errors of the source are expected and not reported.
    if (!response.destroyed) onFailure(error)
    response.destroy()
  }
}

async function pump(
  source: AsyncIterator<Uint8Array>,
  response: ServerResponse,
  { length, isLive }: StreamedReply['stream'],
): Promise<void> {
  let sent = 0
  for (;;) {
    const { done, value } = await source.next()
    if (response.destroyed) return
    if (done) break
    sent += value.length
    if (length !== undefined && sent > length) break
    if (response.write(value)) continue
    const slow = isLive ? setTimeout(() => response.destroy(), bounds.unreadAnswer.most) : undefined
    await room(response)
    clearTimeout(slow)
    if (response.destroyed) return
  }
  if (length !== undefined && sent !== length) throw new Error(`a stream of ${length} bytes had ${sent} or more`)
  response.end()
}

/** Resolves when the connection has room for more, or the client is gone. */
function room(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.on('drain', end).on('close', end)
  })
}

import type { IncomingMessage } from 'node:http'
import { ClientGone, yieldToEventLoop } from '../../kernel/index.ts'
import { hasBody, MinimumRate } from './read-body.ts'

/** The body chunk by chunk, in slices. If the reader stops, the rest stays unread on the connection. */
export async function* streamBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (!hasBody(request)) return
  const pace = new MinimumRate(request)
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  try {
    for await (const chunk of chunks) {
      yield chunk
      if (pace.isEnough(chunk.length)) await yieldToEventLoop()
    }
  } catch {
    throw new ClientGone('the request ended early')
  }
}

import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestApi } from '../../support/api.ts'
import { objectOf } from '../../support/client.ts'
import { expectDocumentedErrors } from '../../support/documented-errors.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: JsonObject
  readonly error: JsonObject
}

interface RawRequest {
  readonly method?: string
  /** Sent byte for byte, from the first slash on. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Declared instead of the length of the body; the rest is never sent. */
  readonly contentLength?: number
}

/** A request that no client library has tidied: exact path, exact headers, also an unfinished body. */
export function rawCall(api: TestApi, { method = 'GET', path, headers = {}, ...content }: RawRequest) {
  const { hostname, port } = new URL(api.url)
  const { body, contentLength } = content
  const length = contentLength === undefined ? {} : { 'content-length': String(contentLength) }
  const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent: false }
  return new Promise<RawAnswer>((resolve, reject) => {
    const call = request(options, answer => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        call.destroy()
        resolve(toAnswer(answer, Buffer.concat(parts).toString()))
      })
    })
    call.on('error', reject)
    if (body !== undefined) call.write(body)
    if (contentLength === undefined) call.end()
    else call.flushHeaders()
  })
}

function toAnswer({ statusCode = 0, headers }: IncomingMessage, text: string): RawAnswer {
  const body = objectOf(text === '' ? {} : JSON.parse(text))
  expectDocumentedErrors(body)
  return { status: statusCode, headers, text, body, error: objectOf(body.error) }
}

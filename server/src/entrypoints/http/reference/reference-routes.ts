import { createHash, randomBytes } from 'node:crypto'
import type { ReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { bounds, yieldToEventLoop } from '../../../kernel/index.ts'
import { packageFolder } from '../../../kernel/product/index.ts'
import { accepts, alreadyHas } from '../negotiation.ts'
import { contentSecurityPolicy, notBuiltText, referencePage } from './reference-page.ts'

const addresses = ['/openapi.json', '/api/v1/openapi.json']

/**
 * Adds two public routes. `/openapi.json` (also `/api/v1/openapi.json`) is the OpenAPI document. `/reference` is a page to read it and to
 * try requests; it needs nothing from other hosts. Both describe the product and no organization.
 */
export function addReferenceRoutes(server: FastifyInstance, document: object, built?: URL): void {
  const text = Buffer.from(JSON.stringify(document))
  const hash = createHash('sha256').update(text).digest('base64url')
  let gzipped: Promise<Buffer> | undefined
  for (const address of addresses) {
    server.get(address, async (request, reply) => {
      const compressed = accepts('gzip', request.headers['accept-encoding'])
      const tag = compressed ? `"${hash}-gzip"` : `"${hash}"`
      reply.headers({
        ETag: tag,
        Vary: 'Accept-Encoding',
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      })
      if (alreadyHas(request, tag)) return reply.code(304).send()
      reply.type('application/json; charset=utf-8')
      if (compressed) reply.header('Content-Encoding', 'gzip')
      const bytes = compressed ? await (gzipped ??= promisify(gzip)(text)) : text
      return reply.header('Content-Length', bytes.length).send(Readable.from(partsOf(bytes)))
    })
  }

  server.get('/reference', async (_request, reply) => {
    const script = await builtScript(built)
    if (script === null) return reply.code(503).type('text/plain; charset=utf-8').send(notBuiltText)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers({
        'Content-Security-Policy': contentSecurityPolicy(nonce),
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(referencePage(nonce, script.hash))
  })

  server.get<{ Querystring: { v?: string } }>('/reference/scalar.js', async (request, reply) => {
    const script = await builtScript(built)
    if (script === null) return reply.callNotFound()
    const { tag, headers, stream } = await openScript(script, request.headers['accept-encoding'])
    // An address with the current hash always has this content, so it is cached for ever. Any other address is revalidated.
    const current = request.query.v === script.hash
    reply.headers({
      ...headers,
      ETag: tag,
      'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    })
    return reply.type('text/javascript; charset=utf-8').send(stream)
  })
}

/**
 * The document in parts, at most one per turn of the event loop. Writing a megabyte to a socket takes milliseconds, and many clients may
 * request it at once.
 */
async function* partsOf(document: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < document.length; at += bounds.documentPart.most) {
    await yieldToEventLoop()
    yield document.subarray(at, at + bounds.documentPart.most)
  }
}

/** The script of the page that `npm run build` made. */
interface BuiltScript {
  readonly hash: string
  readonly directory: URL
}

// Tests that run from the sources also take it from the last build.
const usualDirectory = new URL('dist/reference/', packageFolder)

/** The path of the script and the hash of its content; null before the first build. */
async function builtScript(directory = usualDirectory): Promise<BuiltScript | null> {
  const hash = await readFile(new URL('scalar.js.sha256', directory), 'utf8').catch(() => null)
  return hash === null ? null : { hash: hash.trim(), directory }
}

/** Opens the script for sending, compressed if the client accepts that. Its four megabytes are never held in memory. */
async function openScript(
  { hash, directory }: BuiltScript,
  acceptEncoding: string | undefined,
): Promise<{ tag: string; headers: Record<string, string>; stream: ReadStream }> {
  const compressed = accepts('gzip', acceptEncoding)
  const file = await open(new URL(compressed ? 'scalar.js.gz' : 'scalar.js', directory))
  const { size } = await file.stat()
  return {
    tag: compressed ? `"${hash}-gzip"` : `"${hash}"`,
    headers: {
      Vary: 'Accept-Encoding',
      'Content-Length': String(size),
      ...(compressed ? { 'Content-Encoding': 'gzip' } : {}),
    },
    stream: file.createReadStream(),
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { alreadyHas } from '../negotiation.ts'
import { PageFiles } from './page-files.ts'
import { pageHeaders } from './page-headers.ts'

const notBuiltText = 'The pages are not built yet: run `npm run build`.\n'

/**
 * Adds the pages for people below `/cabinet`. Every address there is the same page, which finds its part in the browser, but only for
 * clients that ask for HTML: others, and what begins with `/cabinet/api`, get the refusal of an unknown route. `built` is the folder that
 * `npm run build` made.
 */
export function addCabinetPages(server: FastifyInstance, built?: URL): void {
  const files = new PageFiles(built)

  // Relative, like all addresses that the server sends: a proxy may add a prefix.
  server.get('/cabinet', (_request, reply) => reply.redirect('cabinet/'))
  server.get('/cabinet/', (request, reply) => sendEntry(files, request, reply))
  server.get('/cabinet/*', (request, reply) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const isPage = !/^\/cabinet\/(?:api|assets)(?:\/|$)/u.test(pathname) && asksForHtml(request)
    return isPage ? sendEntry(files, request, reply) : reply.callNotFound()
  })

  server.get<{ Params: { name: string } }>('/cabinet/assets/:name', async (request, reply) => {
    const opened = await files.open(request.params.name, request.headers['accept-encoding'])
    if (opened === null) return reply.callNotFound()
    const { file, size, type, coding } = opened
    reply.headers({ ...pageHeaders, 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
    if (coding !== null) reply.header('Content-Encoding', coding)
    reply.type(type).header('Content-Length', size)
    return reply.send(file.createReadStream())
  })
}

async function sendEntry(files: PageFiles, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const entry = await files.entry()
  if (entry === null) return reply.code(503).type('text/plain; charset=utf-8').send(notBuiltText)
  reply.headers({ ...pageHeaders, ETag: entry.tag, 'Cache-Control': 'no-cache' })
  if (alreadyHas(request, entry.tag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(entry.html)
}

function asksForHtml(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').split(',').some(each => each.trim().toLowerCase().startsWith('text/html'))
}

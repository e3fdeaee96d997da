import type { FastifyRequest } from 'fastify'

/** Whether a client takes answers in this coding, by its `Accept-Encoding`. */
export function accepts(coding: 'gzip' | 'br', acceptEncoding = ''): boolean {
  return acceptEncoding.split(',').some(each => {
    const [name = '', ...parameters] = each.split(';').map(part => part.trim().toLowerCase())
    return [coding, '*'].includes(name) && !parameters.some(parameter => /^q=0(\.0*)?$/u.test(parameter))
  })
}

/** Whether a client has the content with this tag, so that it need not be sent. */
export function alreadyHas(request: FastifyRequest, tag: string): boolean {
  const held = request.headers['if-none-match']?.split(',').map(one => one.trim().replace(/^W\//u, '')) ?? []
  return held.includes(tag) || held.includes('*')
}

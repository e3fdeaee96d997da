import type { Call, Operation, Reply, StreamedReply } from '../../kernel/index.ts'
import { type Facts, traced } from '../../kernel/tracing/index.ts'

/**
 * Serves a request as one span. The span has the route and never the path. From what the client has sent it records only a UUID as request
 * id and the trace that the request belongs to.
 */
export function tracedRequest<Answer extends Reply | StreamedReply>(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  call: Call,
  serve: () => Promise<Answer>,
): Promise<Answer> {
  const facts = {
    'http.request.method': call.method,
    'http.route': path,
    'crm.operation': id,
    'crm.request.id': call.requestId,
  }
  const parent = call.header('traceparent') ?? null
  return traced(`${call.method} ${path}`, { kind: 'server', parent, facts }, async span => {
    const answer = await serve()
    if (span !== null) span.tell({ 'http.response.status_code': answer.status, ...codeOf(answer) })
    return answer
  })
}

function codeOf(answer: Reply | StreamedReply): Facts {
  return 'code' in answer && answer.code !== undefined ? { 'error.type': answer.code } : {}
}

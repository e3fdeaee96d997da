import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const seen = new Set() // In production a table with the webhook-id as its key, written before the answer.
const versions = new Map() // In production a column of your copies of the records.

const server = createServer(async (request, response) => {
  let event
  try {
    event = webhook.verify(await textOf(request), request.headers)
  } catch {
    console.log('refused')
    response.writeHead(401).end()
    return
  }
  const id = request.headers['webhook-id']
  const isRepeated = seen.has(id)
  seen.add(id)
  response.writeHead(204).end()
  console.log(isRepeated ? 'repeated' : apply(event))
})

/** The raw body: the signature covers its bytes, not the parsed JSON. */
async function textOf(request) {
  let text = ''
  for await (const part of request.setEncoding('utf8')) {
    text += part
    if (text.length > 1_000_000) throw new Error('too long')
  }
  return text
}

function apply({ type, data }) {
  if (type === 'feed.reset') return 'read all records again'
  const { resourceId, version, status } = data
  if (!version) return `${type} ${status ?? ''}` // About no record.
  if (version < versions.get(resourceId)) return 'late'
  versions.set(resourceId, version)
  return `${type} ${version}`
}

server.listen(process.env.PORT ?? 8080, '127.0.0.1', () => console.log('listening'))

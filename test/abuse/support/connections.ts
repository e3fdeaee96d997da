import { readFile } from 'node:fs/promises'

const established = '01'

/** How many connections of the server have much to send that is not read. */
export async function unreadConnections(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const text = await readFile('/proc/net/tcp', 'utf8')
  const rows = text.split('\n').map(line => line.trim().split(/\s+/u))
  // A little waits for a moment on every connection, until the other side confirms it.
  const isUnread = (queues: string) => Number.parseInt(queues, 16) > 65_536
  const own = rows.filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === established)
  return own.filter(([, , , , queues = '']) => isUnread(queues)).length
}

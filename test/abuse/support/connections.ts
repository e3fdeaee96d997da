import { readFile } from 'node:fs/promises'

const established = '01'

/** How many connections of the server have much to send that is not read. */
export async function unreadConnections(url: string): Promise<number> {
  // A little waits for a moment on every connection, until the other side confirms it.
  const isUnread = (queues = '') => Number.parseInt(queues, 16) > 65_536
  return (await connectionsOf(url)).filter(([, , , , queues]) => isUnread(queues)).length
}

/** How many connections the server has with this address of IPv4. */
export async function connectionsWith(url: string, address: string): Promise<number> {
  const bytes = address.split('.').map(byte => Number(byte).toString(16).toUpperCase().padStart(2, '0'))
  const host = `${bytes.toReversed().join('')}:`
  // Those that the server has not accepted yet have no inode.
  const isAccepted = (row: readonly string[]) => row[9] !== '0'
  return (await connectionsOf(url)).filter(row => row[2]?.startsWith(host) && isAccepted(row)).length
}

/** The established connections of the server, as Linux tells of them. */
async function connectionsOf(url: string): Promise<string[][]> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const text = await readFile('/proc/net/tcp', 'utf8')
  const rows = text.split('\n').map(line => line.trim().split(/\s+/u))
  return rows.filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === established)
}

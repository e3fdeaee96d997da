import { connect } from 'node:net'
import type pg from 'pg'

const clients = new WeakMap<pg.Connection, pg.Client>()

/** Records the client of a connection, so that `giveUp` can cancel its statement. */
export function rememberClient(client: pg.Client): void {
  clients.set(client.connection, client)
}

/**
 * Closes a connection whose answer nobody needs any more, and cancels its statement in the database, which would otherwise go on with it.
 * The promise of the answer rejects with `reason`.
 */
export function giveUp(connection: pg.Connection, reason: Error): void {
  const client = clients.get(connection)
  if (client !== undefined && !connection.stream.destroyed) cancel(client)
  connection.stream.destroy(reason)
}

const cancelCode = 80_877_102
const patienceMilliseconds = 2000

/** Sends a CancelRequest on a separate connection. PostgreSQL sends no answer to it. */
function cancel(client: pg.Client): void {
  if (!('processID' in client && 'secretKey' in client)) return
  const { host, port, processID, secretKey } = client
  const message = Buffer.alloc(16)
  for (const [index, value] of [message.length, cancelCode, Number(processID), Number(secretKey)].entries()) {
    message.writeInt32BE(value, index * 4)
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on('error', () => {})
  socket.setTimeout(patienceMilliseconds, () => socket.destroy()).unref()
  socket.end(message)
}

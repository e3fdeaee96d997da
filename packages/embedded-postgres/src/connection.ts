import { access, constants } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

export interface DatabaseConnection {
  /** The directory of the server's unix socket. */
  host: string
  port: number
  user: string
  database: string
}

/** How the product connects: as an ordinary role that owns one database, not as the superuser. */
export function connectionThrough(socketDirectory: string): DatabaseConnection {
  return { host: socketDirectory, port: 5432, user: 'crm', database: 'crm' }
}

/** Throws a readable error when this user may not enter the socket directory of a running server. */
export async function assertReachable(connection: DatabaseConnection): Promise<void> {
  await access(connection.host, constants.X_OK).catch((error: unknown) => {
    throw new Error(
      `The database runs for another user of this machine (${connection.host} is closed to this one). ` +
        'Run this command as the user that started the server.',
      { cause: error },
    )
  })
}

/**
 * Tries to connect until it succeeds ('ready'), the server's process ends ('ended') or the server has not answered for `silence`
 * milliseconds ('silent'). A server that answers "starting up" is recovering. Interrupting it would only restart the recovery, so it gets
 * ten minutes. Throws the errors of a first query, such as a missing role or database.
 */
export async function waitUntilReady(
  connection: DatabaseConnection,
  postmaster: ProcessIdentity,
  silence: number,
): Promise<'ready' | 'ended' | 'silent'> {
  const start = Date.now()
  let answered = start
  while (isRunning(postmaster)) {
    const answer = await tryToConnect(connection)
    if (answer === 'ready') return 'ready'
    if (answer === 'starting') answered = Date.now()
    if (Date.now() - answered > silence || Date.now() - start > 600_000) return 'silent'
    await sleep(15)
  }
  return 'ended'
}

async function tryToConnect(connection: DatabaseConnection): Promise<'ready' | 'starting' | 'none'> {
  // Without `ssl: false`, a PGSSLMODE in the environment would apply to this socket too.
  const client = new pg.Client({ ...connection, ssl: false, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) return 'none'
    if (error.code === cannotConnectNow) return 'starting'
    // A server that has no free connection is up.
    if (error.code === tooManyConnections) return 'ready'
    throw error
  }
}

const cannotConnectNow = '57P03'
const tooManyConnections = '53300'

import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseConnection, startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database, statement } from '../../server/src/kernel/sql/index.ts'

/** A PostgreSQL server for one run of the tests. */
export interface TestServer {
  readonly connection: DatabaseConnection
  stop(): Promise<void>
}

/** The server that `TEST_DATABASE_URL` names, or an embedded one for this run. */
export async function startTestServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL
  return url === undefined ? embedded() : given(url)
}

/** What the databases of a run take at most, several times over, in bytes. */
const ample = 8 * 1024 ** 3

async function embedded(): Promise<TestServer> {
  const dataDirectory = await mkdtemp(join(await folderForData(), 'crm-test-'))
  // These tests do not cover a crash of the server; those that do start their own.
  const settings = {
    autovacuum: 'off',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_init_zero: 'off',
    max_wal_size: '2GB',
    checkpoint_timeout: '1h',
    maintenance_work_mem: '256MB',
    io_method: 'sync',
    max_connections: '200',
  }
  const postgres = await startEmbeddedPostgres({ dataDirectory, settings })
  return {
    connection: postgres.connection,
    async stop() {
      await postgres.stop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

/** The file system of Linux in memory, where it has room: there a database of a thousand files is copied in a third of the time. */
async function folderForData(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return Math.min(bavail * bsize, process.availableMemory()) > ample ? memory : tmpdir()
}

// Only test databases have such names, in case the server is also used for something else.
const leftOver = statement(
  'test_left_over_databases',
  `select d.datname as name from pg_database d
    where d.datname = 'crm_template' or d.datname ~ '^(test|empty|fresh)_[0-9a-f]{32}$'`,
)

/** An external server that is used for tests only, and requires no password. */
async function given(url: string): Promise<TestServer> {
  const { hostname, port, username, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  const connection = { host, port: Number(port || 5432), user: username, database: pathname.slice(1) }
  const removeLeftOver = async () => {
    const maintenance = new Database({ location: connection, connections: 1 })
    try {
      for (const { name } of await maintenance.search(leftOver, [])) {
        await maintenance.script(`drop database ${String(name)} with (force)`)
      }
    } finally {
      await maintenance.close()
    }
  }
  await removeLeftOver()
  return { connection, stop: removeLeftOver }
}

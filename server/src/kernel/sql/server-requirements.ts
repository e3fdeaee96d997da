import type { Database } from './database.ts'
import { statement } from './statement.ts'

const oldestServer = 150_000

const selectServer = statement(
  'select_server',
  `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
          current_setting('server_encoding') as encoding`,
)

/** Throws a message for the operator if PostgreSQL is too old, or if the encoding of the database is not UTF8. Resolves to the version. */
export async function expectSuitableServer(database: Database): Promise<string> {
  const [row] = await database.search(selectServer, [])
  const version = String(row?.version)
  if (Number(row?.number) < oldestServer) throw new Error(`PostgreSQL 15 or later is needed, this is ${version}`)
  if (row?.encoding !== 'UTF8') {
    const how = `create database … encoding 'UTF8' template template0`
    throw new Error(`the encoding of the database is ${String(row?.encoding)}, and not UTF8: make another one (${how})`)
  }
  return version
}

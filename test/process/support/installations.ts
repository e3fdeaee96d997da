import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database } from '../../../server/src/kernel/sql/index.ts'
import { createApplication, createOrganization, createToken } from '../../../server/src/settings/index.ts'
import { Client } from '../../support/client.ts'
import { createTestDatabase, type TestDatabase, testSecret } from '../../support/database.ts'
import { databaseUrl, type Processes, type Server } from '../../support/process.ts'

/** A server in a process of its own, on a database of the run, with one application that may do everything. */
export interface Installation {
  readonly server: Server
  readonly test: TestDatabase
  readonly organizationId: string
  readonly client: Client
}

const highestRate = 1_000_000

export async function installationOn(processes: Processes): Promise<Installation> {
  const test = await createTestDatabase(2)
  const { organizationId, token } = await anApplication(test.database)
  const server = await processes.serve(await environmentOf(processes, test))
  return { server, test, organizationId, client: new Client(server.url, token) }
}

export async function environmentOf(processes: Processes, { location }: TestDatabase) {
  if ('url' in location) throw new Error('the database of the tests is reached through a socket')
  return onDatabase(processes, databaseUrl(location))
}

export async function onDatabase(processes: Processes, url: string) {
  return {
    DATABASE_URL: url,
    CRM_SECRET: 'a secret of the tests, long enough',
    CRM_DATA_DIR: await processes.folder(),
  }
}

/** An organization, and a token of an application of it that may do everything. */
export async function anApplication(database: Database): Promise<{ organizationId: string; token: string }> {
  const { id: organizationId } = await createOrganization(administrationOf(database), { name: 'Acme' })
  return { organizationId, token: await anotherApplication(database, organizationId) }
}

/** The token of one more application without limits. */
export async function anotherApplication(database: Database, organizationId: string): Promise<string> {
  const rates = { rateRead: highestRate, rateWrite: highestRate }
  const { id: applicationId } = await createApplication(administrationOf(database), {
    organizationId,
    name: `ERP ${randomUUID()}`,
    ...rates,
  })
  const names = { organizationId, applicationId, name: 'Test' }
  const { token } = await createToken(administrationOf(database), { ...names, scopes: ['all'] })
  return token
}

/** What makes settings in this database beside its server. */
export function administrationOf(database: Database) {
  return { database, secret: testSecret }
}

/** The embedded database of a running server, beside it. */
export async function besideServer(folder: string): Promise<Database> {
  const { connection } = await openEmbeddedPostgres({ dataDirectory: folder })
  return new Database({ location: connection, connections: 2 })
}

/** Calls a server with the token of the demo organization. */
export async function demoClient(server: Pick<Server, 'url'>, folder: string): Promise<Client> {
  return new Client(server.url, (await readFile(join(folder, 'demo-token'), 'utf8')).trim())
}

import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { Secret } from '../../server/src/kernel/index.ts'
import { Database, type DatabaseLocation } from '../../server/src/kernel/sql/index.ts'

export const testSecretText = 'a secret of the tests, long enough'
export const testSecret = new Secret(testSecretText)

export interface TestDatabase {
  readonly database: Database
  /** The secret for hashes of external keys. */
  readonly secret: Secret
  readonly location: DatabaseLocation
  drop(): Promise<void>
}

/** A new, migrated and empty database on the server of the test run; on a cluster, the database of the run. */
export async function createTestDatabase(connections = 8): Promise<TestDatabase> {
  const cluster = inject('cluster')
  if (cluster !== undefined) {
    const location = { url: cluster }
    const database = new Database({ location, connections })
    return { database, secret: testSecret, location, drop: () => database.close() }
  }
  const server = inject('postgres')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const maintenance = new Database({ location: server, connections: 1 })
  // Copying the files of the template costs half as much as logging its pages.
  await maintenance.script(`create database ${name} template crm_template strategy file_copy`)
  const location = { ...server, database: name }
  const database = new Database({ location, connections })
  return {
    database,
    secret: testSecret,
    location,
    async drop() {
      await database.close()
      await maintenance.script(`drop database ${name} with (force)`)
      await maintenance.close()
    },
  }
}

let shared: Promise<TestDatabase> | undefined

/**
 * A database that the test files of one worker share, each with its own organizations: creating one takes as long as dozens of requests. It
 * is removed together with the server of the run.
 */
export function sharedTestDatabase(): Promise<TestDatabase> {
  shared ??= createTestDatabase().then(test => ({ ...test, drop: async () => {} }))
  return shared
}

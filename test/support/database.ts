import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { Secret } from '../../server/src/kernel/index.ts'
import { Database, type DatabaseLocation } from '../../server/src/kernel/sql/index.ts'

export const testSecretText = 'a secret of the tests, long enough'
export const testSecret = new Secret(testSecretText)

export interface TestDatabase {
  readonly database: Database
  /** For what is made of external keys. */
  readonly secret: Secret
  readonly location: DatabaseLocation
  drop(): Promise<void>
}

/** A migrated, empty database of its own on the server of the run; on a cluster that of the run. */
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
  // To copy the files of the template costs half of what it costs to log its pages.
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
 * A database that the files of one worker share, each with organizations of its own: to make one takes as long as dozens of
 * requests. It goes with the server of the run.
 */
export function sharedTestDatabase(): Promise<TestDatabase> {
  shared ??= createTestDatabase().then(test => ({ ...test, drop: async () => {} }))
  return shared
}

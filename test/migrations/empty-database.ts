import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { Database, type DatabaseLocation } from '../../server/src/kernel/sql/index.ts'

export interface EmptyDatabase {
  readonly database: Database
  readonly location: DatabaseLocation
  /** The same place as a program is told it. */
  readonly url: string
  drop(): Promise<void>
}

/** A database of its own that no migration has seen. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const server = inject('postgres')
  const name = `empty_${randomUUID().replaceAll('-', '')}`
  const maintenance = new Database({ location: server, connections: 1 })
  await maintenance.script(`create database ${name}`)
  const location = { ...server, database: name }
  const database = new Database({ location, connections: 2 })
  const parameters = new URLSearchParams({ host: server.host, port: String(server.port), user: server.user })
  return {
    database,
    location,
    url: `postgres:///${name}?${parameters}`,
    async drop() {
      await database.close()
      await maintenance.script(`drop database ${name} with (force)`)
      await maintenance.close()
    },
  }
}

import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
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

const folder = new URL('../../server/migrations/', import.meta.url)

/** Applies the migrations before the one with this number, as they were once applied. */
export async function migrateUpTo({ database }: EmptyDatabase, number: string): Promise<void> {
  const earlier = (await readdir(folder)).filter(name => name.endsWith('.sql') && name < number).sort()
  await database.script('create table schema_migrations (name text primary key, applied_at timestamptz default now())')
  for (const name of earlier) {
    const text = await readFile(new URL(name, folder), 'utf8')
    for (const step of text.split(/^-- step.*$/mu)) await database.script(step)
    await database.script(`insert into schema_migrations (name) values ('${name}')`)
  }
}

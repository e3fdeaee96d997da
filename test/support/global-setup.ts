import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import type { TestProject } from 'vitest/node'
import { Database, migrate } from '../../server/src/kernel/sql/index.ts'

/** A database server for the whole run, and on it a migrated template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-test-'))
  // A crash of the server is not what these tests are about; those that are start their own.
  const settings = {
    autovacuum: 'off',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
  }
  const postgres = await startEmbeddedPostgres({ dataDirectory, settings })
  const { connection } = postgres
  const maintenance = new Database({ location: connection, connections: 1 })
  await maintenance.script('create database crm_template')
  const template = new Database({ location: { ...connection, database: 'crm_template' }, connections: 1 })
  await migrate(template)
  await template.close()
  await maintenance.close()
  project.provide('postgres', connection)
  return async () => {
    await postgres.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string }
  }
}

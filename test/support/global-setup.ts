import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { Database, migrate } from '../../server/src/kernel/sql/index.ts'
import { compileReaders } from './compiled-readers.ts'
import { startTestServer } from './test-server.ts'

/** A database server for the whole run, and on it a migrated template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer()
  const { connection } = server
  const maintenance = new Database({ location: connection, connections: 1 })
  await maintenance.script('create database crm_template')
  const template = new Database({ location: { ...connection, database: 'crm_template' }, connections: 1 })
  await migrate(template)
  // Copies of the template count as new databases, not as restored ones.
  await template.script('update installation set system_identifier = null, timeline = null, database_oid = null')
  await template.close()
  await maintenance.close()
  project.provide('postgres', connection)
  const scratch = await mkdtemp(join(tmpdir(), 'crm-scratch-'))
  await chmod(scratch, 0o755)
  project.provide('scratch', scratch)
  await compileReaders(scratch)
  return async () => {
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string }
    /** A folder that is removed at the end of the run. */
    scratch: string
  }
}

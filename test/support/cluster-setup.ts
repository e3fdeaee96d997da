import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { Database, distribute, migrate } from '../../server/src/kernel/sql/index.ts'
import { compileReaders } from './compiled-readers.ts'

/** Migrates and distributes the database of CITUS_URL, which all test files share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.CITUS_URL
  if (url === undefined) throw new Error('CITUS_URL names no database of a Citus cluster')
  const database = new Database({ location: { url }, connections: 1 })
  try {
    await migrate(database)
    await distribute(database)
  } finally {
    await database.close()
  }
  project.provide('cluster', url)
  const scratch = await mkdtemp(join(tmpdir(), 'crm-scratch-'))
  await chmod(scratch, 0o755)
  project.provide('scratch', scratch)
  await compileReaders(scratch)
  return () => rm(scratch, { recursive: true, force: true })
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database of a Citus cluster, if the tests run on one. */
    cluster: string | undefined
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Database } from '../../server/src/kernel/sql/index.ts'
import { Cleanup } from '../cleanup.ts'
import type { Connection } from '../protocol.ts'
import { makeScene, type Scene, type SceneOptions } from '../scene.ts'
import { postmasterOf } from '../usage.ts'

/** A database on a PostgreSQL server of its own that counts statements. */
export interface Stage {
  readonly scene: Scene
  readonly database: Database
  /** The same database for its superuser, who sees the counts of statements. */
  readonly statistics: Database
  readonly postmaster: number
  /** One client of each application. */
  readonly clients: readonly Connection[]
  /** The first of them. */
  readonly client: Connection
}

/** Runs `work` on a stage whose PostgreSQL server has these settings besides, and removes everything at its end. */
export async function onStage(
  options: SceneOptions,
  outer: Cleanup,
  work: (stage: Stage, cleanup: Cleanup) => Promise<void>,
  ofPostgres: Readonly<Record<string, string>> = {},
): Promise<void> {
  const cleanup = new Cleanup()
  outer.add(() => cleanup.run())
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-webhooks-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const settings = { shared_preload_libraries: 'pg_stat_statements', ...ofPostgres }
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory, settings })
  cleanup.add(stop)
  const scene = await makeScene(connection, options, cleanup)
  const database = new Database({ location: { url: scene.url }, connections: 1 })
  cleanup.add(() => database.close())
  const address = new URL(scene.url)
  address.username = 'postgres'
  const statistics = new Database({ location: { url: address.href }, connections: 1 })
  cleanup.add(() => statistics.close())
  await statistics.script('create extension pg_stat_statements')
  const clients = await scene.connections(1)
  const [client] = clients
  if (client === undefined) throw new Error('the scene has no application')
  const postmaster = await postmasterOf(dataDirectory)
  await work({ scene, database, statistics, postmaster, clients, client }, cleanup)
  await cleanup.run()
}

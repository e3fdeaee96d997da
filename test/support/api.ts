import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpServer } from '../../server/src/entrypoints/http/index.ts'
import type { S3Settings } from '../../server/src/kernel/files/index.ts'
import type { Clock, Hold, Operation, Services } from '../../server/src/kernel/index.ts'
import { operations as ofProduct } from '../../server/src/modules.ts'
import { createServices } from '../../server/src/start/create-services.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { heldMilliseconds, holdFor } from './held-groups.ts'

/** A clock that stands still until it is set. */
export class TestClock implements Clock {
  #now = Date.parse('2026-03-02T10:00:30.000Z')

  now(): number {
    return this.#now
  }

  set(time: string): void {
    this.#now = Date.parse(time)
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds
  }
}

/** The product on a database of its own, behind a real socket. */
export interface TestApi {
  readonly url: string
  readonly services: Services
  readonly test: TestDatabase
  /** What went wrong inside so far; a test that expects nothing there checks that it is empty. */
  readonly failures: unknown[]
  /** Where its files are. */
  readonly dataDirectory: string
  close(): Promise<void>
}

export interface ApiOptions {
  readonly clock?: Clock
  readonly redisUrl?: string
  /** Instead of one of its own, which goes at the end. */
  readonly dataDirectory?: string
  readonly s3?: S3Settings
  readonly trustedProxies?: readonly string[]
  readonly connections?: number
  /** Instead of a database of its own. */
  readonly test?: TestDatabase
  /** Instead of those of the product. */
  readonly operations?: readonly Operation[]
  /** Another node on the same database. */
  readonly beside?: TestApi
  /** What each group of writes waits for. */
  readonly holdGroups?: Hold | null
}

/** Starts the product in this process, on a database and a folder of its own unless told. The caller stops it. */
export async function startApi({
  clock,
  redisUrl,
  s3,
  trustedProxies = [],
  connections,
  operations = ofProduct,
  beside,
  holdGroups = holdFor(heldMilliseconds),
  ...given
}: ApiOptions = {}): Promise<TestApi> {
  const test = beside?.test ?? given.test ?? (await createTestDatabase(connections))
  const failures: unknown[] = []
  const dataDirectory = given.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'crm-test-')))
  const services = createServices({
    config: { redisUrl, dataDirectory, s3 },
    database: test.database,
    secret: test.secret,
    ...(clock === undefined ? {} : { clock }),
    onFailure: (error, facts) => failures.push({ error, facts }),
    holdGroups,
  })
  await services.counters.start()
  services.authentication.start()
  const server = createHttpServer({ services, operations, trustedProxies })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${addressOf(server.server.address()).port}`
  services.files.links.leadTo(url)
  return {
    url,
    services,
    test,
    failures,
    dataDirectory,
    async close() {
      await server.close()
      await services.authentication.stop()
      await services.counters.close()
      if (given.dataDirectory === undefined) await rm(dataDirectory, { recursive: true, force: true })
      if (beside === undefined) await test.drop()
    },
  }
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address
}

import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  addCabinetPages,
  cabinetRoutesOf,
  createHttpServer,
  organizationRoutes,
} from '../../server/src/entrypoints/http/index.ts'
import type { S3Settings } from '../../server/src/kernel/files/index.ts'
import type { Clock, Hold, Operation, Services } from '../../server/src/kernel/index.ts'
import type { SmtpSettings } from '../../server/src/kernel/mail/index.ts'
import { cabinetOperations, operations as ofProduct } from '../../server/src/modules.ts'
import { Passwords } from '../../server/src/people/index.ts'
import { createServices } from '../../server/src/start/create-services.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { heldMilliseconds, holdFor } from './held-groups.ts'

/** A clock that stands still until a test sets it. */
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
  /** What hashes passwords there, and counts the hashes. */
  readonly passwords: Passwords
  readonly test: TestDatabase
  /** Internal errors so far; a test that expects none checks that the list is empty. */
  readonly failures: unknown[]
  /** The directory of its files. */
  readonly dataDirectory: string
  close(): Promise<void>
}

export interface ApiOptions {
  readonly clock?: Clock
  readonly redisUrl?: string
  /** Replaces the server's own instance, which is closed at the end. */
  readonly dataDirectory?: string
  readonly s3?: S3Settings
  readonly trustedProxies?: readonly string[]
  readonly publicBaseUrl?: string
  readonly smtp?: SmtpSettings
  readonly outboundAllowedNetworks?: readonly string[]
  readonly crossOrigin?: boolean
  /** The folder of built pages; without it there are none. */
  readonly pages?: URL
  readonly connections?: number
  /** Replaces a database of its own. */
  readonly test?: TestDatabase
  /** Replaces the product's values. */
  readonly operations?: readonly Operation[]
  /** Starts another node on the same database. */
  readonly beside?: TestApi
  /** A promise that each group commit awaits before it starts. */
  readonly holdGroups?: Hold | null
}

/** Starts the product in this process, by default on a database and a directory of its own. The caller stops it. */
export async function startApi({
  clock,
  redisUrl,
  s3,
  publicBaseUrl,
  smtp,
  outboundAllowedNetworks = [],
  trustedProxies = [],
  crossOrigin = true,
  pages,
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
    config: { redisUrl, dataDirectory, s3, publicBaseUrl, smtp, outboundAllowedNetworks },
    database: test.database,
    secret: test.secret,
    ...(clock === undefined ? {} : { clock }),
    onFailure: (error, facts) => failures.push({ error, facts }),
    holdGroups,
  })
  await services.counters.start()
  services.authentication.start()
  const passwords = new Passwords()
  const routes = cabinetRoutesOf(services, passwords)
  const cabinet = () => organizationRoutes([...operations, ...cabinetOperations], services)
  const server = createHttpServer({ services, operations, cabinet, trustedProxies, crossOrigin, routes })
  if (pages !== undefined) addCabinetPages(server, pages)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${addressOf(server.server.address()).port}`
  services.files.links.leadTo(url)
  return {
    url,
    services,
    passwords,
    test,
    failures,
    dataDirectory,
    async close() {
      services.feedWaits.end()
      await server.close()
      services.feedTails.stop()
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

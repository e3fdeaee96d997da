import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Scope, scopes } from '../../../server/src/kernel/index.ts'
import { type Row, statement } from '../../../server/src/kernel/sql/index.ts'
import { type ApiOptions, startApi, type TestApi, TestClock } from '../../support/api.ts'
import { sharedTestDatabase } from '../../support/database.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'

/** What the tests of one file share: one API, on a clock that they can set. */
export interface Given {
  readonly api: TestApi
  readonly clock: TestClock
  organization(options?: { rates?: number }): Promise<TestOrganization>
  /** One organization for all tests of the file that do not mind each other's records. */
  shared(): Promise<TestOrganization>
  /** Looks into the database, where the API does not show it. */
  sql(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** What an administrator changes in an organization; tokens that were not used yet see it at once. */
  configure(organization: TestOrganization, text: string, values?: readonly unknown[]): Promise<void>
}

type Options = Pick<ApiOptions, 'trustedProxies' | 'crossOrigin' | 'connections' | 'operations' | 'dataDirectory'> & {
  /** For files that fill tables, whose plans then suit no other file. */
  readonly ownDatabase?: true
}

/**
 * Starts an API for this file, with organizations of its own in a database that other files use as well; at its end nothing
 * may have gone wrong inside.
 */
export function useApi({ ownDatabase, ...options }: Options = {}): Given {
  const clock = new TestClock()
  let api: TestApi | undefined
  let shared: Promise<TestOrganization> | undefined
  const running = () => {
    if (api === undefined) throw new Error('the API has not started')
    return api
  }
  const sql = (text: string, values: readonly unknown[] = []) => {
    const name = `test_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
    return running().test.database.search(statement(name, text), values)
  }
  beforeAll(async () => {
    const isShared = ownDatabase === undefined && options.connections === undefined
    api = await startApi({ clock, ...options, ...(isShared ? { test: await sharedTestDatabase() } : {}) })
  })
  afterAll(async () => {
    const { failures } = running()
    await running().close()
    expect(failures).toEqual([])
  })
  return {
    get api() {
      return running()
    },
    clock,
    organization: settings => anOrganization(running(), settings),
    shared() {
      shared ??= anOrganization(running())
      return shared
    },
    sql,
    async configure({ id }, text, values) {
      await sql(text, values)
      await sql('update organizations set directory_version = directory_version + 1 where id = $1', [id])
      await sql('update installation set generation = generation + 1')
    },
  }
}

/** Every scope but these. */
export function allBut(...missing: readonly Scope[]): Scope[] {
  return scopes.filter(scope => !missing.includes(scope))
}

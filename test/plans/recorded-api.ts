import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnsweredRequest, createHttpServer, organizationRoutes } from '../../server/src/entrypoints/http/index.ts'
import { Database, type Reader, type Row, type Statement, type Transaction } from '../../server/src/kernel/sql/index.ts'
import { cabinetOperations, operations } from '../../server/src/modules.ts'
import { Passwords } from '../../server/src/people/index.ts'
import { createServices } from '../../server/src/start/create-services.ts'
import type { ApiOptions, TestApi } from '../support/api.ts'
import { createTestDatabase, testSecret } from '../support/database.ts'

/** A statement as it was sent, and through which pool: their connections plan differently. */
export interface Sent {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly pool: 'points' | 'queries' | 'reports'
}

/** For whom rows are read, and what takes them as they arrive. */
type How = [reader?: Parameters<Database['query']>[2], take?: Parameters<Database['query']>[3]]

/** A database that remembers what is sent to it. */
class RecordingDatabase extends Database {
  readonly sent: Sent[] = []

  override query<R extends Row = Row>(statement: Statement, values: readonly unknown[], ...how: How): Promise<R[]> {
    this.sent.push({ statement, values, pool: 'points' })
    return super.query<R>(statement, values, ...how)
  }

  override search<R extends Row = Row>(statement: Statement, values: readonly unknown[], ...how: How): Promise<R[]> {
    this.sent.push({ statement, values, pool: 'queries' })
    return super.search<R>(statement, values, ...how)
  }

  override report<R extends Row = Row>(
    statement: Statement,
    values: readonly unknown[],
    reader: Reader,
    take?: How[1],
  ): Promise<R[]> {
    this.sent.push({ statement, values, pool: 'reports' })
    return super.report<R>(statement, values, reader, take)
  }

  override async begin(): Promise<Transaction> {
    const transaction = await super.begin()
    const send = transaction.query.bind(transaction)
    transaction.query = (statement, values) => {
      this.sent.push({ statement, values, pool: 'points' })
      return send(statement, values)
    }
    return transaction
  }
}

export interface RecordedApi extends TestApi {
  /** What the product sends to the database while something is done. */
  recorded(act: () => Promise<unknown>): Promise<Sent[]>
  /** Ids of the operations that have answered. */
  readonly answered: ReadonlySet<string>
}

/**
 * The product on a database of its own, behind a real socket, with an ear on what it asks the database. `prepare` is a script that
 * runs before the product connects.
 */
export async function startRecordedApi({
  holdGroups = null,
  prepare,
}: Pick<ApiOptions, 'holdGroups'> & { readonly prepare?: string } = {}): Promise<RecordedApi> {
  const test = await createTestDatabase()
  if (prepare !== undefined) await test.database.script(prepare)
  const database = new RecordingDatabase({ location: test.location, connections: 4 })
  const failures: unknown[] = []
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-test-'))
  const services = createServices({
    config: { redisUrl: undefined, dataDirectory },
    database,
    secret: testSecret,
    onFailure: error => failures.push(error),
    holdGroups,
  })
  const answered = new Set<string>()
  const onAnswer = ({ operation }: AnsweredRequest) => void (operation === null || answered.add(operation))
  const server = createHttpServer({
    services,
    operations: [...operations, ...cabinetOperations],
    cabinet: () => organizationRoutes(operations, services),
    trustedProxies: [],
    onAnswer: [onAnswer],
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    services,
    passwords: new Passwords(),
    test,
    failures,
    dataDirectory,
    answered,
    async recorded(act) {
      const from = database.sent.length
      await act()
      return database.sent.slice(from)
    },
    async close() {
      await server.close()
      await services.counters.close()
      await database.close()
      await rm(dataDirectory, { recursive: true, force: true })
      await test.drop()
    },
  }
}

import { isUuid } from '../kernel/schema/index.ts'
import type { Database, Row } from '../kernel/sql/index.ts'
import { selectAnswersOfRequest, selectEntriesOfRequest, selectEventsOfRequest } from './requests.sql.ts'

/** Everything that one request has left behind. */
export interface FoundRequest {
  readonly requestId: string
  /** What the client called it, where that is something else. */
  readonly clientRequestId: string | null
  readonly organizationId: string
  readonly applicationId: string | null
  /** The members that tell its lines in the log from others; there are lines of requests that failed inside. */
  readonly log: { readonly requestId: string; readonly operation?: string }
  readonly answer: Row | null
  readonly auditEntries: readonly Row[]
  readonly changes: readonly Row[]
}

/**
 * What the requests of an id have left, the newest first: the stored answer, audit entries, and change events, as far as each is
 * still kept. `id` is the `requestId` of an answer or an error, or the `X-Request-Id` of a client. A request that changed
 * nothing, and was no success, leaves nothing. Values of records are whole: this is for administrators.
 */
export async function findRequests(database: Database, id: string): Promise<FoundRequest[]> {
  const values = [isUuid(id) ? id : null, id]
  const [answers, entries] = await Promise.all([
    database.search(selectAnswersOfRequest, values),
    database.search(selectEntriesOfRequest, values),
  ])
  const written = [...new Map(entries.map(entry => [`${identity(entry)} ${entry.occurredAt}`, entry])).values()]
  const changes = await database.search(selectEventsOfRequest, [
    written.map(entry => entry.organizationId),
    written.map(entry => entry.requestId),
    written.map(entry => entry.occurredAt),
  ])
  return [...new Set([...answers, ...entries].map(identity))].map(request => {
    const of = (rows: readonly Row[]) => rows.filter(row => identity(row) === request)
    return describe(of(answers)[0] ?? null, of(entries), of(changes))
  })
}

/** A client may give the same id to requests for several organizations. */
function identity({ organizationId, requestId }: Row): string {
  return `${organizationId} ${requestId}`
}

function describe(answer: Row | null, auditEntries: readonly Row[], changes: readonly Row[]): FoundRequest {
  const known = answer ?? auditEntries[0] ?? {}
  const { organizationId, applicationId, clientRequestId } = known
  const requestId = String(known.requestId)
  return {
    requestId,
    clientRequestId: textOf(clientRequestId),
    organizationId: String(organizationId),
    applicationId: textOf(applicationId),
    log: { requestId, ...(typeof answer?.operation === 'string' ? { operation: answer.operation } : {}) },
    answer,
    auditEntries,
    changes,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

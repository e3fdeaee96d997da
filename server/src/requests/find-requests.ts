import type { Secret } from '../kernel/index.ts'
import { isUuid } from '../kernel/schema/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import {
  type AnswerOfRequest,
  type EntryOfRequest,
  type EventOfRequest,
  selectAnswersOfRequest,
  selectEntriesOfRequest,
  selectEventsOfRequest,
} from './requests.sql.ts'

/** Everything that one request has stored. */
export interface FoundRequest {
  readonly requestId: string
  /** The id that the client sent, if it differs. */
  readonly clientRequestId: string | null
  readonly organizationId: string
  readonly applicationId: string | null
  /** The members that identify its lines in the log; requests that failed with an internal error have such lines. */
  readonly log: { readonly requestId: string; readonly operation?: string }
  /** Several if a client used one UUID for several requests: then they cannot be distinguished. */
  readonly answers: readonly AnswerOfRequest[]
  readonly auditEntries: readonly EntryOfRequest[]
  readonly changes: readonly EventOfRequest[]
}

/**
 * What the requests with an id have stored, the newest first: the stored answer, audit entries, and change events, as far as each is still
 * kept. `id` is the `requestId` of an answer or an error, or the `X-Request-Id` of a client. A request that changed nothing and did not
 * succeed stores nothing. An id that an erasure has replaced by a hash is found too. Values of records are not redacted: this is for
 * administrators.
 */
export async function findRequests({ database, secret }: Kept, id: string): Promise<FoundRequest[]> {
  const values = [isUuid(id) ? id : null, [id, secret.requestIdHash(id)]]
  const [answers, entries] = await Promise.all([
    database.search<AnswerOfRequest>(selectAnswersOfRequest, values),
    database.search<EntryOfRequest>(selectEntriesOfRequest, values),
  ])
  const written = [...new Map(entries.map(entry => [`${identity(entry)} ${entry.occurredAt}`, entry])).values()]
  const changes = await database.search<EventOfRequest>(selectEventsOfRequest, [
    written.map(entry => entry.organizationId),
    written.map(entry => entry.requestId),
    written.map(entry => entry.occurredAt),
  ])
  return [...new Set([...answers, ...entries].map(identity))].map(request => {
    const isOf = (row: Identified) => identity(row) === request
    return describe(answers.filter(isOf), entries.filter(isOf), changes.filter(isOf), request)
  })
}

interface Kept {
  readonly database: Database
  readonly secret: Secret
}

/** A client may use the same id in requests for several organizations. */
function identity({ organizationId, requestId }: Identified): string {
  return `${organizationId} ${requestId}`
}

type Identified = Pick<AnswerOfRequest, 'organizationId' | 'requestId'>

function describe(
  answers: readonly AnswerOfRequest[],
  auditEntries: readonly EntryOfRequest[],
  changes: readonly EventOfRequest[],
  request: string,
): FoundRequest {
  const known = answers[0] ?? auditEntries[0]
  if (known === undefined) throw new Error(`nothing was found of ${request}`)
  const { requestId, clientRequestId, organizationId, applicationId } = known
  const operation = answers[0]?.operation ?? null
  return {
    requestId,
    clientRequestId,
    organizationId,
    applicationId,
    log: { requestId, ...(operation === null ? {} : { operation }) },
    answers,
    auditEntries,
    changes,
  }
}

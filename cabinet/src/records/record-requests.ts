import { type Answer, Failure, request, requestAnswer } from '../api/index.ts'
import { queryOf, type Selection } from '../lists/filters.rules.ts'
import { type Kind, kindFacts } from './kinds.ts'
import type { Json, JsonObject, RecordState } from './record.ts'

/** How many rows a list asks for at a time. */
const pageSize = 100

/** How many similar records stand in for those that a search did not find. */
const mostSimilar = 20

/** Where pages begin: no cursor. */
export const firstPage = (): string | null => null

/** A part of a list. */
export interface RecordPage {
  readonly records: readonly RecordState[]
  readonly nextCursor: string | null
  /** Whether the server stopped looking before the page was full. */
  readonly isTruncated: boolean
  /** Whether nothing is written as it was searched, and these are written alike. */
  readonly isSimilar: boolean
}

/** A page of a list. Where a search finds nothing as it is written, the first page has records that are written alike. */
export async function listRecords(
  organization: string,
  kind: Kind,
  selection: Selection,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<RecordPage> {
  const query = queryOf(selection)
  query.set('limit', String(pageSize))
  if (cursor !== null) query.set('cursor', cursor)
  const { data, meta } = await requestAnswer<RecordState[]>('GET', `/o/${organization}/crm/${kind}?${query}`, {
    signal,
  })
  const page = {
    records: data,
    nextCursor: meta.nextCursor ?? null,
    isTruncated: meta.truncated === true,
    isSimilar: false,
  }
  const isAlone = Object.keys(selection.filters).length === 0
  if (data.length > 0 || page.nextCursor !== null || cursor !== null || selection.search === '' || !isAlone) return page
  return { ...page, isSimilar: true, records: await similarRecords(organization, kind, selection.search, signal) }
}

async function similarRecords(organization: string, kind: Kind, search: string, signal?: AbortSignal) {
  const query = { q: search, types: kindFacts[kind].singular, limit: mostSimilar }
  const hits = await request<{ id: string }[]>('GET', `/o/${organization}/crm/search`, { query, signal })
  const ids = hits.map(({ id }) => id)
  return (await findRecords(organization, kind, ids, signal)).records
}

/** What came of reading records by their ids. */
export interface FoundRecords {
  readonly records: readonly RecordState[]
  /** The ids of those that were not read this time; those that are not there any more are left out. */
  readonly unread: readonly string[]
  /** When the server takes more reads, where it has said so. */
  readonly retryAt: Date | null
}

/** Reads records by their ids. */
export async function findRecords(
  organization: string,
  kind: Kind,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<FoundRecords> {
  const found = await Promise.allSettled(
    ids.map(id => request<RecordState>('GET', `/o/${organization}/crm/${kind}/${id}`, { signal })),
  )
  const failures = found.map(one => (one.status === 'rejected' && one.reason instanceof Failure ? one.reason : null))
  const isLater = (failure: Failure | null | undefined) =>
    failure != null && (failure.status === 0 || failure.status === 429 || failure.status >= 500)
  return {
    records: found.flatMap(one => (one.status === 'fulfilled' ? [one.value] : [])),
    unread: ids.filter((_, place) => isLater(failures[place])),
    retryAt: failures.find(failure => failure?.retryAt != null)?.retryAt ?? null,
  }
}

/** How many records a list has, as far as the server counts. */
export interface Count {
  readonly count: number
  readonly isExact: boolean
  /** What ended the count before its end. */
  readonly capped: 'rows' | 'time' | null
}

export function countRecords(
  organization: string,
  kind: Kind,
  selection: Selection,
  { isExact, signal }: { isExact: boolean; signal: AbortSignal },
): Promise<Count> {
  const query = queryOf({ ...selection, sort: '' })
  if (isExact) query.set('exact', 'true')
  return request<Count>('GET', `/o/${organization}/counts/${kind}?${query}`, { signal })
}

/** A record that another one is linked with. */
export interface Linked {
  readonly id: string
  readonly name?: string
  readonly title?: string
}

/** What a page of a record shows, read at once. */
export interface RecordSheet {
  readonly record: RecordState
  readonly keys: readonly {
    readonly application: { readonly id: string; readonly name: string }
    readonly externalId: string
  }[]
  readonly linked: Readonly<Partial<Record<Kind, readonly Linked[]>>>
  /** How many there are of each kind, and whether the server has counted all. */
  readonly counts: Readonly<Record<string, Omit<Count, 'capped'>>>
  readonly permissions: readonly string[]
}

export function readSheet(organization: string, kind: Kind, id: string): Promise<RecordSheet> {
  return request<RecordSheet>('GET', `/o/${organization}/pages/${kind}/${id}`)
}

/** One thing that happened to a record. */
export interface HistoryEntry {
  readonly id: string
  readonly occurredAt: string
  readonly action: string
  readonly actorType: string
  readonly actorUserUuid?: string | null
  readonly actorName?: string | null
  readonly applicationId: string | null
  readonly applicationName?: string | null
  readonly requestId: string
  readonly jobId: string | null
  readonly versionBefore: number | null
  readonly versionAfter: number | null
  readonly changes: readonly { field: string; before?: Json; after?: Json; redacted?: boolean }[]
}

export function readHistory(
  organization: string,
  kind: Kind,
  id: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Answer<HistoryEntry[]>> {
  const query = { limit: 50, ...(cursor !== null && { cursor }) }
  return requestAnswer<HistoryEntry[]>('GET', `/o/${organization}/history/${kind}/${id}`, { query, signal })
}

/** A change that is to be made once, however often it is asked for: `key` is that of the submission. */
export interface Write {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body: JsonObject
  readonly key: string
}

export function write<Data>(
  organization: string,
  { method, path, body, key }: Write,
  signal?: AbortSignal,
): Promise<Data> {
  return request<Data>(method, `/o/${organization}/crm/${path}`, { body, key, signal })
}

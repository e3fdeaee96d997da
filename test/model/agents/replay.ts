import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Client } from '../../support/client.ts'

/** What the audit log makes of a record: its fields, empty ones left out. */
export interface Logged {
  readonly kind: string
  readonly fields: Map<string, unknown>
}

/** A request and its answer. */
export interface Asked {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly data: JsonObject
}

/** The whole audit log, the oldest entry first. */
export async function readLog(client: Client): Promise<JsonObject[]> {
  const entries: JsonObject[] = []
  for (let query = 'limit=100'; query !== ''; ) {
    const { items, meta } = await client.get(`/audit?${query}`)
    entries.push(...items)
    query = meta.nextCursor === null ? '' : `limit=100&cursor=${String(meta.nextCursor)}`
  }
  return entries.toReversed()
}

/**
 * Replays the log: what each entry says of the state before it has to be what the entries before it made, every request that
 * succeeded has to have left an entry unless it changed nothing, and its answer shows what it made of the record.
 */
export function replay(entries: readonly JsonObject[], asked: readonly Asked[]) {
  const records = new Map<string, Logged>()
  const findings: string[] = []
  const byRequest = new Map(asked.map(each => [each.requestId, each]))
  const logged = new Set<string>()
  for (const entry of entries) {
    const [id, action] = [String(entry.resourceId), String(entry.action)]
    const before = records.get(id)
    const fields = new Map(before?.fields)
    for (const change of changesOf(entry)) {
      if (change.redacted === true) continue
      const name = String(change.field)
      // An AI operator was there before the log.
      const isFirst = entry.resourceType === 'ai_operator' && !fields.has(name)
      const known = fields.get(name) ?? null
      if (!isFirst && !isSame(known, change.before))
        findings.push(`${action} ${id}: ${name} was ${text(known)}: ${text(change)}`)
      fields.set(name, change.after)
    }
    if (action.endsWith('.created') === (before !== undefined) && entry.resourceType !== 'ai_operator')
      findings.push(`${action} of ${id}, which was ${before === undefined ? 'not ' : ''}there`)
    if (action.endsWith('.deleted')) records.delete(id)
    else records.set(id, { kind: String(entry.resourceType), fields })
    const requestId = String(entry.requestId)
    const answered = byRequest.get(requestId)
    logged.add(requestId)
    if (answered === undefined) findings.push(`${action} of a request that nobody sent`)
    else if (answered.status >= 300) findings.push(`${action} of a request that was refused`)
    else if (answered.method !== 'DELETE' && isAbout(answered, id, fields))
      findings.push(...unlike(answered.data, fields))
  }
  for (const { requestId, method, path, status } of asked) {
    const hasToLog = status < 300 && (method === 'POST' || method === 'DELETE')
    if (hasToLog && !logged.has(requestId)) findings.push(`no entry of ${method} ${path}`)
  }
  return { records, findings }
}

/** The members of an answer that are not as the log has them. */
export function unlike(data: JsonObject, fields: ReadonlyMap<string, unknown>): string[] {
  return [...fields]
    .filter(([name, value]) => name in data && !isSame(data[name], value))
    .map(([name, value]) => `${text(data.id)} has ${name} ${text(data[name])} instead of ${text(value)}`)
}

function changesOf({ changes }: JsonObject): JsonObject[] {
  return Array.isArray(changes) ? changes.map(Object) : []
}

/** The stored id of a product is none that clients know. */
function isAbout({ data }: Asked, id: string, fields: ReadonlyMap<string, unknown>): boolean {
  return data.id === id || data.channelId === id || (fields.has('productSetId') && data.id === fields.get('id'))
}

/** Nothing, no text and no elements are all empty. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(full(one), full(other))
}

function full(value: unknown): unknown {
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? null : value
}

const text = (value: unknown) => JSON.stringify(value)

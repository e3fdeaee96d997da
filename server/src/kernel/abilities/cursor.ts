import { createHash } from 'node:crypto'
import type { EntryName } from '../auth/index.ts'
import type { Secret } from '../encryption/secret.ts'
import { canonicalJson, isObject, type JsonObject } from '../schema/index.ts'

/** What a cursor is valid for: one entry, one organization, one route, one set of filters. */
export interface CursorScope {
  readonly entry: EntryName
  readonly organizationId: string
  readonly route: string
  readonly filters: Readonly<Record<string, unknown>>
}

const version = 1

/** An opaque, signed position (contract section 0, "Cursor"). */
export function writeCursor(secret: Secret, scope: CursorScope, key: JsonObject): string {
  const text = JSON.stringify({
    v: version,
    org: scope.organizationId,
    route: scope.route,
    filters: hash(scope.filters),
    key,
    // Cursors of the API name no entry, like those of releases that had only one.
    ...(scope.entry === 'api' ? {} : { entry: scope.entry }),
  })
  return Buffer.concat([secret.sign(text), Buffer.from(text)]).toString('base64url')
}

/** The position in a cursor; null if the cursor was modified, or belongs to another entry, organization, route or set of filters. */
export function readCursor(secret: Secret, scope: CursorScope, cursor: string): JsonObject | null {
  const bytes = Buffer.from(cursor, 'base64url')
  // Several base64url texts decode to the same bytes. Only the canonical one is valid.
  if (bytes.toString('base64url') !== cursor) return null
  const text = bytes.subarray(16).toString()
  if (!secret.isSigned(text, bytes.subarray(0, 16))) return null
  const content: unknown = JSON.parse(text)
  if (!isObject(content) || !isObject(content.key)) return null
  const { v, org, route, filters, key, entry = 'api' } = content
  const isOfRoute = org === scope.organizationId && route === scope.route && entry === scope.entry
  const matches = v === version && isOfRoute && filters === hash(scope.filters)
  return matches ? key : null
}

function hash(filters: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonicalJson(filters)).digest('base64url').slice(0, 16)
}

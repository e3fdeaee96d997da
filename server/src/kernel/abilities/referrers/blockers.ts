import { type Refusal, unprocessable } from '../../errors/index.ts'
import type { Resource } from '../../record/index.ts'
import { mostAffected } from '../../write/needs.ts'

/** A reason that forbids a removal or a merge (contract section 8). */
export interface Blocker {
  readonly code: string
  readonly [detail: string]: unknown
}

/** A list would be longer than allowed. */
export function listTooLong(field: string, count: number, limit: number): Blocker {
  return { code: 'list_too_long', field, count, limit }
}

/** A hidden list may become too long. The token may not read the list, so the blocker has no numbers. */
export function hiddenListTooLong(field: string): Blocker {
  return { code: 'list_too_long', field }
}

const mostNamed = 100

/** More records are affected than one request may change. */
export function tooManyLinks(count: number): Blocker {
  return { code: 'too_many_links', count, limit: mostAffected }
}

/** Records whose rules forbid the change, with the ids of up to 100 of them. */
export function partyBlockers(
  blocked: readonly { readonly resource: Resource; readonly id: string; readonly reason: unknown }[],
): Blocker[] {
  const byReason = new Map<string, { readonly kind: string; readonly ids: string[] }>()
  for (const { resource, id, reason } of blocked) {
    const known = byReason.get(String(reason))
    if (known === undefined) byReason.set(String(reason), { kind: resource.kind, ids: [id] })
    else known.ids.push(id)
  }
  return [...byReason].map(([code, { kind, ids }]) => ({
    code,
    count: ids.length,
    [`${kind}Ids`]: ids.toSorted().slice(0, mostNamed),
  }))
}

/** 422 with every blocker; null if there is none. */
export function refuseBlocked(blockers: readonly Blocker[]): Refusal | null {
  if (blockers.length === 0) return null
  const issues = blockers.map(blocker => ({ path: '', rule: blocker.code, message: explain(blocker) }))
  return unprocessable(issues, { blockers })
}

function explain({ code, field }: Blocker): string {
  if (code === 'list_too_long') return `${String(field)} would have more entries than it may: take some away before`
  if (code === 'too_many_links') return `One request may change ${mostAffected} records at most, and more are linked`
  return 'Other records need what this would take from them: details.blockers names them'
}

/** JSON Schema of a blocker. */
export const blockerSchema = {
  title: 'Blocker',
  type: 'object',
  required: ['code'],
  properties: {
    code: {
      type: 'string',
      description: 'Which rule forbids it, for programs.',
      examples: ['deal_party_required', 'too_many_links', 'list_too_long'],
    },
    field: { type: 'string', description: 'Of list_too_long: the list.' },
    count: { type: 'integer', minimum: 0, description: 'How many records are concerned.' },
    limit: { type: 'integer', minimum: 0, description: 'How many there may be.' },
  },
  additionalProperties: true,
  example: { code: 'deal_party_required', count: 1 },
}

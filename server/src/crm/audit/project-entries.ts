import { type Caller, isScope, type Kinds, mayRead, projectionScopes, topOf } from '../../kernel/index.ts'
import { isObject, type JsonObject, type Projection } from '../../kernel/schema/index.ts'

const projections = Object.keys(projectionScopes).filter(isProjection)

function isProjection(name: string): name is Projection {
  return Object.hasOwn(projectionScopes, name)
}

interface Projected {
  readonly data: unknown
  readonly redacted: readonly string[]
}

/**
 * Entries as a caller may see them. A value that needs a scope which the token lacks, or that is the key of another application, is
 * removed; only the name of its field stays (contract sections 5 and 11). Entries of a record's parts also need the scopes of the list of
 * these parts.
 */
export function auditProjection({ nestedResources }: Kinds): (data: unknown, caller: Caller) => Projected {
  const partsOf = scopesOfParts(nestedResources)
  return (data, caller) => {
    if (!Array.isArray(data)) return { data, redacted: [] }
    const hidden = projections.filter(projection => !mayRead(projection, caller.scopes))
    const mayReadPart = (entry: JsonObject, { field }: JsonObject) => {
      const parts = partsOf.get(String(entry.resourceType))
      const scopes = parts?.get(String(field).split('.', 1)[0] ?? '') ?? []
      return scopes.every(scope => isScope(scope) && caller.scopes.has(scope))
    }
    const isShown = (entry: JsonObject, change: JsonObject) =>
      !hidden.some(projection => projection === change.guard) &&
      (change.field !== 'externalId' || mayReadKeysOf(entry.applicationId, caller)) &&
      mayReadPart(entry, change)
    const shownChange = (entry: JsonObject, change: JsonObject): JsonObject => {
      if (change.redacted === true || !isShown(entry, change)) return { field: change.field, redacted: true }
      return { field: change.field, before: change.before, after: change.after }
    }
    const shownEntry = (entry: JsonObject): JsonObject => {
      const { changes } = entry
      const shown = Array.isArray(changes) ? changes.filter(isObject).map(change => shownChange(entry, change)) : []
      // The copy gets no new member: V8 is slow to build and serialize an object that grows after a spread (ADR 0008).
      return { ...entry, changes: shown }
    }
    const entries = data.filter(isObject).map(shownEntry)
    return { data: hidden.includes('operators') ? entries.map(withoutOperator) : entries, redacted: hidden }
  }
}

/** People see the external ids of all applications, and an application its own. */
function mayReadKeysOf(applicationId: unknown, { credential, keysOf }: Caller): boolean {
  return 'session' in credential || applicationId === keysOf
}

/** The scopes that entries of a record's parts need, by the kind of the record and the name of the part. */
function scopesOfParts(nestedResources: Kinds['nestedResources']): Map<string, Map<string, readonly string[]>> {
  const parts = new Map<string, Map<string, readonly string[]>>()
  for (const nested of nestedResources) {
    const { kind } = topOf(nested)
    const ofKind = parts.get(kind) ?? new Map<string, readonly string[]>()
    parts.set(kind, ofKind.set(nested.parent.part, nested.moreScopes.read))
  }
  return parts
}

function withoutOperator({ actorUserUuid: _, ...entry }: JsonObject): JsonObject {
  return entry
}

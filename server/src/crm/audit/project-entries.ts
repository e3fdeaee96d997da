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
 * Entries as a caller may see them: of a value that the token has no scope for, and of another application's key, only the
 * name of the field stays (contract sections 5 and 11). What belongs to a record needs the scopes of its own list too.
 */
export function auditProjection({ nestedResources }: Kinds): (data: unknown, caller: Caller) => Projected {
  const partScopes = new Map(
    nestedResources.map(nested => [`${topOf(nested).kind}.${nested.parent.part}`, nested.moreScopes.read] as const),
  )
  return (data, caller) => {
    if (!Array.isArray(data)) return { data, redacted: [] }
    const hidden = projections.filter(projection => !mayRead(projection, caller.scopes))
    const mayReadPart = (entry: JsonObject, { field }: JsonObject) =>
      (partScopes.get(`${String(entry.resourceType)}.${String(field).split('.')[0]}`) ?? []).every(
        scope => isScope(scope) && caller.scopes.has(scope),
      )
    const isShown = (entry: JsonObject, change: JsonObject) =>
      !hidden.some(projection => projection === change.guard) &&
      (change.field !== 'externalId' || entry.applicationId === caller.application.id) &&
      mayReadPart(entry, change)
    const shownChange = (entry: JsonObject, change: JsonObject): JsonObject => {
      if (change.redacted === true || !isShown(entry, change)) return { field: change.field, redacted: true }
      return { field: change.field, before: change.before, after: change.after }
    }
    const shownEntry = (entry: JsonObject): JsonObject => {
      const { actorUserUuid, changes, ...rest } = entry
      const shown = Array.isArray(changes) ? changes.filter(isObject).map(change => shownChange(entry, change)) : []
      return { ...rest, ...(hidden.includes('operators') ? {} : { actorUserUuid }), changes: shown }
    }
    return { data: data.filter(isObject).map(shownEntry), redacted: hidden }
  }
}

import { type Caller, type Resource, selectionScopes } from '../../kernel/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'

/** A view of a list, as it is stored. */
export interface View {
  readonly id: string
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** The operator who made it. */
  readonly owner: string
  /** The plural, as in paths. */
  readonly kind: string
  readonly name: string
  readonly shared: boolean
  readonly definition: ViewDefinition
}

/** What a view shows: filters and `sort` as the list takes them, and the columns, by names that only pages know. */
export interface ViewDefinition extends JsonObject {
  readonly filters: JsonObject
  readonly sort?: string
  readonly columns?: readonly string[]
}

/** Reads a row of `views`. */
export function toView(row: Row): View {
  const stored: JsonObject = isObject(row.definition) ? row.definition : {}
  return {
    id: String(row.id),
    version: Number(row.version),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
    owner: String(row.owner),
    kind: String(row.kind),
    name: String(row.name),
    shared: row.shared === true,
    definition: { ...stored, filters: isObject(stored.filters) ? stored.filters : {} },
  }
}

/** The user whose views a caller has. */
export function ownerOf({ author, keysOf }: Pick<Caller, 'author' | 'keysOf'>): string {
  return author.uuid ?? keysOf
}

/** The scopes that the filters and the order of a view need: they would tell values that its reader may not see. */
export function scopesOfView(resource: Resource, { filters, sort }: ViewDefinition): string[] {
  return [resource.scopes.read, ...selectionScopes(resource, { ...filters, sort })]
}

/** Whether the caller sees the view: an own one, or a shared one, if it may use its filters. */
export function isSeen(view: View, resources: readonly Resource[], caller: Caller): boolean {
  const resource = resources.find(({ plural }) => plural === view.kind)
  if (resource === undefined || !(view.shared || view.owner === ownerOf(caller))) return false
  return scopesOfView(resource, view.definition).every(scope => caller.scopes.has(scope))
}

/** The view as answers show it, before `mine` is known. */
export function shownView({ definition, ...view }: View): JsonObject {
  return { ...view, definition }
}

/** Views as a caller sees them: `mine` instead of the owner. */
export function projectViews(data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } {
  const shown = (view: unknown) => {
    if (!isObject(view) || view.owner === undefined) return view
    const { owner, ...others } = view
    return { ...others, mine: owner === ownerOf(caller) }
  }
  return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted: [] }
}

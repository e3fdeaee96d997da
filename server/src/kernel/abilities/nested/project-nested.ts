import type { Caller } from '../../auth/index.ts'
import { embeddedKind, type Nested, receipt } from '../../record/index.ts'
import { mayRead, type Projected, projectRecord, projectRecords } from '../../redact/index.ts'
import { isObject } from '../../schema/index.ts'

/**
 * A nested record as this caller may see it, with its embedded records; a receipt if a projection hides all of it. A link is shown whole,
 * because the scopes of its routes grant all of it (contract section 17.1).
 */
export function projectNested(nested: Nested, data: unknown, caller: Caller): Projected {
  const { projection, parent } = nested
  if (parent.uniqueReference !== undefined) return { data, redacted: [] }
  if (projection !== undefined && !mayRead(projection, caller.scopes) && isObject(data)) {
    return { data: receipt(nested, data), redacted: [projection] }
  }
  const projected = projectRecord(nested, data, caller)
  const embedded = embeddedKind(nested)
  if (embedded === undefined || !isObject(projected.data) || !(embedded.plural in projected.data)) return projected
  const inside = projectRecords(embedded, projected.data[embedded.plural], caller)
  return {
    data: { ...projected.data, [embedded.plural]: inside.data },
    redacted: [...new Set([...projected.redacted, ...inside.redacted])],
  }
}

/** A page of nested records. */
export function projectNestedRecords(nested: Nested, data: unknown, caller: Caller): Projected {
  if (!Array.isArray(data)) return { data, redacted: [] }
  const all = data.map(each => projectNested(nested, each, caller))
  return { data: all.map(each => each.data), redacted: [...new Set(all.flatMap(each => each.redacted))] }
}

import { isScope, type Scope, scopes } from './auth/index.ts'
import type { Product } from './module.ts'
import { isSynchronized } from './record/record-head.ts'
import { projectionScopes } from './redact/index.ts'

/** A scope and what of the product asks for it. */
export interface ServedScope {
  readonly scope: Scope
  /** Ids of operations, and protected values such as `reads contact_data` and `writes contact.contactData`. */
  readonly allows: readonly string[]
}

/**
 * The scopes that something of the product asks for: its routes, the records that the change feed tells, nested records and
 * protected values. They are what there is to grant. They stand in the order of the specification, with those that it does not
 * name behind.
 */
export function servedScopes({
  resources,
  nestedResources,
  operations,
}: Pick<Product, 'resources' | 'nestedResources' | 'operations'>): readonly ServedScope[] {
  const uses = [
    ...operations.flatMap(({ id, scopes: asked }) => asked.map(scope => [scope, id] as const)),
    ...resources
      .filter(isSynchronized)
      .map(({ kind, scopes: { read } }) => [read, `changes of the kind ${kind}`] as const),
    ...Object.entries(projectionScopes).map(([projection, scope]) => [scope, `reads ${projection}`] as const),
    ...[...resources, ...nestedResources].flatMap(({ kind, fields }) =>
      Object.entries(fields).flatMap(([name, { writeScope }]) =>
        writeScope === undefined ? [] : [[writeScope, `writes ${kind}.${name}`] as const],
      ),
    ),
  ]
  const asked = new Set([...scopes, ...uses.map(([scope]) => scope)])
  return [...asked].filter(isScope).flatMap(scope => {
    const allows = uses.flatMap(([used, use]) => (used === scope ? [use] : []))
    return allows.length === 0 ? [] : [{ scope, allows }]
  })
}

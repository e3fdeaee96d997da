import { type Kinds, parentColumn, type Resource } from '../../record/index.ts'

/** A kind of records that are linked with those of another one, or belong to them, and the table that says which. */
export interface LinkedKind {
  /** `companies`, `activities`. */
  readonly name: string
  /** The kind; null for parts, which are counted and not named. */
  readonly other: Resource | null
  readonly table: string
  /** The columns with the id of the record, and with that of the other one. */
  readonly ownColumn: string
  readonly otherColumn: string
  /** What reads them. */
  readonly scopes: readonly string[]
}

/** Everything that is linked with records of a kind, in either direction, and their parts. It follows from the declarations. */
export function linkedKinds(resource: Resource, { resources, nestedResources }: Kinds): readonly LinkedKind[] {
  const known = (kind: string) => resources.find(each => each.kind === kind)
  const found: LinkedKind[] = []
  const add = (other: Resource | undefined, table: string, ownColumn: string, otherColumn: string) => {
    if (other === undefined || !other.isSynchronized || found.some(({ name }) => name === other.plural)) return
    found.push({ name: other.plural, other, table, ownColumn, otherColumn, scopes: [other.scopes.read] })
  }
  for (const { kind, table, ownerColumn, targetColumn } of resource.references)
    add(known(kind), table, ownerColumn, targetColumn)
  for (const holder of resources)
    for (const { kind, table, ownerColumn, targetColumn } of holder.references)
      if (kind === resource.kind) add(holder, table, targetColumn, ownerColumn)
  for (const nested of nestedResources) {
    const { parent, references, table, plural, scopes, moreScopes } = nested
    const link = references.find(({ name }) => name === parent.uniqueReference)
    const column = parentColumn(nested)
    if (link === undefined) {
      if (parent.resource !== resource) continue
      const read = [scopes.read, ...moreScopes.read]
      found.push({ name: plural, other: null, table: table.name, ownColumn: column, otherColumn: 'id', scopes: read })
    } else if (parent.resource === resource) add(known(link.kind), table.name, column, link.targetColumn)
    else if (link.kind === resource.kind) add(parent.resource, table.name, link.targetColumn, column)
  }
  return found
}

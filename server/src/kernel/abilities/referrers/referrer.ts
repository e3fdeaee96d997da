import {
  columnOf,
  isNested,
  type Nested,
  parentColumn,
  type ReferenceField,
  type Resource,
} from '../../record/index.ts'
import { claimedStatement, type Statement } from '../../sql/index.ts'
import { mostAffected } from '../../write/needs.ts'
import { ancestry } from '../nested/ancestry.ts'

/** A declared field through which records, or records nested in them, refer to records of another kind. */
export interface Referrer {
  /** The kind of records that hold the reference. */
  readonly holder: Resource
  readonly field: string
  /** The name of the holders in previews and answers: `deals`, `companies`, `activities`. */
  readonly name: string
  /** Whether the holder is only a link. A link is removed with its reference, and a parent has at most one link to each record. */
  readonly isLink: boolean
  /** $1 organization, $2 id of the referred record. Returns the `id` of each holder, and in `above` the ids of the records above it. */
  readonly find: Statement
  /** $1 organization, $2 id of the referred record. Returns the `count` of all holders. */
  readonly count: Statement
  /**
   * $1 organization, $2 id of the referred record. Returns the `count` of files of all holders; of a link, those of the records that it
   * belongs to. null if these have no files.
   */
  readonly countFiles: Statement | null
  /**
   * $1 organization, $2 and $3 ids of two records. Returns the `id` of each holder that refers to the second record in the same parent or
   * list in which the first one is referred to. null if that cannot happen.
   */
  readonly twins: Statement | null
}

const compiled = new Map<string, readonly Referrer[]>()

/** Every declared reference to records of this resource, derived from the declarations. */
export function referrersOf(
  target: Resource,
  resources: readonly Resource[],
  nestedResources: readonly Nested[],
): readonly Referrer[] {
  const known = compiled.get(target.kind)
  if (known !== undefined) return known
  const named = new Map<string, Referrer>()
  for (const holder of [...resources, ...nestedResources]) {
    for (const reference of holder.references.filter(({ kind }) => kind === target.kind)) {
      const isLink = holder.parent?.uniqueReference === reference.name
      const own = isNested(holder) ? holder.linkedAs : holder.plural
      const plain = (isLink ? holder.parent?.resource.plural : undefined) ?? own
      const name = named.has(plain) ? `${plain}.${reference.name}` : plain
      const countFiles = fileCount(target, holder, reference, isLink, nestedResources)
      named.set(name, { ...compileReferrer(target, holder, reference, name, isLink), countFiles })
    }
  }
  const found = [...named.values()]
  compiled.set(target.kind, found)
  return found
}

function compileReferrer(
  target: Resource,
  holder: Resource,
  reference: ReferenceField,
  name: string,
  isLink: boolean,
): Omit<Referrer, 'countFiles'> {
  const { table, ownerColumn, targetColumn, name: field } = reference
  const place = placeOf(target, holder, reference)
  const refers = `l.organization_id = $1 and l.${targetColumn}`
  // The outer select sorts. With the order inside, a plan made while the table is empty would walk through the whole table in that order.
  const { join, ids } = above(holder, reference)
  // Two references can be in the same list of one record, or links of one parent.
  const isList = holder.links.some(({ name: list }) => list === field)
  const side = isLink ? parentColumn(holder) : isList ? ownerColumn : null
  return {
    holder,
    field,
    name,
    isLink,
    find: claimedStatement(
      `find_${place}`,
      `select found.* from (
         select l.${ownerColumn} as id, array[${ids.join(', ')}]::uuid[] as above from ${table} l ${join}
          where ${refers} = $2
          limit ${mostAffected + 1}) as found
        order by found.id`,
    ),
    count: claimedStatement(`count_${place}`, `select count(*)::integer as count from ${table} l where ${refers} = $2`),
    twins:
      side === null
        ? null
        : claimedStatement(
            `twins_${place}`,
            `select found.id from (
               select twin.id from (
                 select l.${side} as side from ${table} l where ${refers} = $2
                  limit ${mostAffected + 1}) as place
                cross join lateral (
                  select o.${ownerColumn} as id from ${table} o
                   where o.organization_id = $1 and o.${side} = place.side and o.${targetColumn} = $3
                  offset 0) as twin
               offset 0) as found
              order by found.id`,
          ),
  }
}

const placeOf = (target: Resource, holder: Resource, { name }: ReferenceField) =>
  `${holder.kind}_${name.toLowerCase()}_of_${target.kind}`

/** The statement that counts the files of holders, which store their number or have it counted. */
function fileCount(
  target: Resource,
  holder: Resource,
  reference: ReferenceField,
  isLink: boolean,
  nestedResources: readonly Nested[],
): Statement | null {
  const owner = isLink ? holder.parent?.resource : holder
  const attachment = nestedResources.find(({ parent, plural }) => parent.resource === owner && plural === 'files')
  if (owner === undefined || attachment === undefined) return null
  const { table, ownerColumn, targetColumn } = reference
  const stored = owner.fields.filesCount
  const files =
    stored === undefined
      ? `select count(*) as files from ${attachment.table.name} f
                 where f.organization_id = $1 and f.${parentColumn(attachment)} = place.id`
      : `select h.${columnOf('filesCount', stored)} as files from ${owner.table.name} h
                 where h.organization_id = $1 and h.id = place.id`
  return claimedStatement(
    `count_files_of_${placeOf(target, holder, reference)}`,
    // `offset 0` keeps the planner from joining the tables the other way round: each holder is looked up by its key.
    `select coalesce(sum(held.files), 0)::integer as count from (
               select l.${isLink ? parentColumn(holder) : ownerColumn} as id from ${table} l
                where l.organization_id = $1 and l.${targetColumn} = $2 offset 0) as place
              cross join lateral (
                ${files}
                offset 0) as held`,
  )
}

/**
 * The joins from a nested holder to the records above it, and the SQL of their ids from the top down; empty for a
 * holder that stands alone.
 */
function above(holder: Resource, { ownerColumn }: ReferenceField): { join: string; ids: string[] } {
  if (holder.parent === null) return { join: '', ids: [] }
  const parents = ancestry(holder)
    .map(({ resource }) => resource)
    .reverse()
  // Each is looked up by its whole key, even if the plan is made while the tables are empty.
  const found = ({ table }: Resource, id: string, alias: string) => ` cross join lateral (
           select * from ${table.name} where organization_id = $1 and id = ${id} offset 0) as ${alias}`
  let [join, below] = [found(holder, `l.${ownerColumn}`, 'h'), 'h']
  const ids: string[] = []
  let inner = holder
  for (const [level, parent] of parents.entries()) {
    const id = `${below}.${parentColumn(inner)}`
    ids.unshift(id)
    if (parent.parent === null) break
    join += found(parent, id, `a${level}`)
    below = `a${level}`
    inner = parent
  }
  return { join, ids }
}

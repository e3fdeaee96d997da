import type { Scope } from '../auth/index.ts'
import {
  chosenIdSchema,
  type Field,
  type Fields,
  isObject,
  type JsonSchema,
  type Projection,
  placeRank,
  uuidSchema,
} from '../schema/index.ts'
import { columnName } from '../sql/index.ts'
import { compileResource } from './define-resource.ts'
import type { HeadColumns, Parent, Resource, Rules, StateOf } from './resource.ts'

interface Order {
  readonly field: string
  readonly direction: 'asc' | 'desc'
}

/** The declaration of a kind of nested records. */
export interface NestedDeclaration<F extends Fields> {
  /** Unique among all kinds: `deal_item`. */
  readonly kind: string
  /** The last part of its paths: `items`. */
  readonly plural: string
  readonly title: string
  readonly table: string
  readonly headColumns?: HeadColumns
  /** The kind that it belongs to: a resource, or a nested kind. */
  readonly parent: Resource
  /** The member that holds the parent's id: `dealId`. */
  readonly parentMember: string
  /** Name of the path parameter with the parent's id; `parentMember` if left out. */
  readonly parentParameter?: string
  /** Name of its own path parameter; `id` if left out. */
  readonly idParameter?: string
  /** Whether clients choose the ids; then the field called like `idParameter` holds them, and needs a unique index. */
  readonly hasChosenIds?: true
  /** The name in `changedFields` of the resource at the top. */
  readonly part: string
  /** The name under which previews and answers of merges and removals count them; the plural by default. */
  readonly linkedAs?: string
  /** The largest number of records in one parent; null if there is no limit. */
  readonly most: number | null
  /** The field of the parent that stores their number, if something needs it without counting. */
  readonly countedIn?: string
  /** The order of a list: by a field, or by rank (`place`), which requests set and answers show as `position`. Ties are ordered by id. */
  readonly order: Order | 'place'
  /** Scopes that its routes need in addition to those of the resource at the top. */
  readonly moreScopes?: { readonly read: Scope; readonly write: Scope }
  /** Hides the whole record from tokens without the scope of this projection. */
  readonly projection?: Projection
  /** For settings: SQL of the condition under which one, `t`, is listed and can be named. */
  readonly listedWhen?: string
  /** Whether each record is the attachment of a file that is removed with it. */
  readonly ownsFile?: true
  readonly fields: F
  readonly rules?: Rules<StateOf<F>>
}

/** A kind of records that belong to a record: items of a deal, checklists of a task, items of a checklist. */
export interface Nested extends Resource {
  readonly parent: Parent
  readonly linkedAs: string
  readonly most: number | null
  readonly countedIn?: string
  readonly order: Order
  readonly idParameter: string
  readonly ownsFile: boolean
  /** Scopes that its routes need in addition to those of the resource at the top. */
  readonly moreScopes: { readonly read: readonly Scope[]; readonly write: readonly Scope[] }
}

/** All declared kinds of records, needed to follow references between them. */
export interface Kinds {
  /** Kinds that stand alone, in the order in which every write locks them. */
  readonly resources: readonly Resource[]
  /** Kinds that belong to one of these. */
  readonly nestedResources: readonly Nested[]
}

/** Compiles the declaration of a nested kind. */
export function defineNested<const F extends Fields>(declaration: NestedDeclaration<F>): Nested {
  const {
    kind,
    plural,
    title,
    table,
    parentMember,
    part,
    most,
    moreScopes,
    projection,
    listedWhen,
    headColumns = {},
    parentParameter: parameter = parentMember,
    idParameter = 'id',
  } = declaration
  const uniqueReference = requiredReferenceOf(declaration.fields)
  const unique = uniqueReference === undefined ? {} : { uniqueReference }
  const chosen = declaration.hasChosenIds ? { chosenId: idParameter } : {}
  const isPlaced = declaration.order === 'place'
  const parent: Parent = {
    resource: declaration.parent,
    member: parentMember,
    parameter,
    part,
    isPlaced,
    ...unique,
    ...chosen,
  }
  const fields = {
    [parentMember]: parentField(
      parentMember,
      declaration.parent.kind,
      uniqueReference === undefined && !declaration.hasChosenIds,
    ),
    ...(declaration.hasChosenIds ? { [idParameter]: chosenIdField } : {}),
    ...declaration.fields,
    ...(isPlaced ? { rank: placeRank } : {}),
  }
  const { scopes, isSetting, conventions } = topOf(declaration.parent)
  const { rules = {} } = declaration
  const path = `${declaration.parent.path}/{${parameter}}/${plural}`
  const compiled = compileResource({ kind, plural, path, title, scopes, fields, rules }, table, {
    parent,
    isSetting,
    headColumns,
    headMembers: {},
    conventions,
    isSynchronized: false,
  })
  const nested: Nested = {
    ...compiled,
    output: uniqueReference === undefined ? compiled.output : ofLink(compiled.output),
    parent,
    linkedAs: declaration.linkedAs ?? plural,
    most,
    ...(declaration.countedIn === undefined ? {} : { countedIn: declaration.countedIn }),
    order: declaration.order === 'place' ? { field: 'rank', direction: 'asc' } : declaration.order,
    idParameter,
    ownsFile: declaration.ownsFile ?? false,
    ...(projection === undefined ? {} : { projection }),
    ...(listedWhen === undefined ? {} : { listedWhen }),
    moreScopes:
      moreScopes === undefined ? { read: [], write: [] } : { read: [moreScopes.read], write: [moreScopes.write] },
  }
  if (declaration.parent.parent !== null) inside.set(declaration.parent, nested)
  return nested
}

const inside = new WeakMap<Resource, Nested>()

/** The kind that belongs to a nested kind: its records are embedded in the answers of that one, under their plural. */
export function embeddedKind(nested: Nested): Nested | undefined {
  return inside.get(nested)
}

/** The field that makes the kind a link: the `uniqueReference`. Other references may be null. */
function requiredReferenceOf(fields: Fields): string | undefined {
  return Object.keys(fields).find(name => fields[name]?.refersTo !== undefined && fields[name].requiredOnCreate)
}

/** Whether records of this kind belong to other records. */
export function isNested(resource: Resource): resource is Nested {
  return resource.parent !== null
}

/** The kinds of nested records that belong to records of a resource. */
export function childKinds(resource: Resource, nestedResources: readonly Nested[]): Nested[] {
  return nestedResources.filter(({ parent }) => parent.resource === resource)
}

/**
 * Those of them that a merge moves and a removal removes by statements, however many there are: records without an order of their own that
 * are no links.
 */
export function looseKinds(resource: Resource, nestedResources: readonly Nested[]): Nested[] {
  return childKinds(resource, nestedResources).filter(
    ({ parent }) => parent.uniqueReference === undefined && !parent.isPlaced,
  )
}

/**
 * The resource at the top: the one that a nested kind belongs to directly or through others; a resource is its own top.
 */
export function topOf(resource: Resource): Resource {
  return resource.parent === null ? resource : topOf(resource.parent.resource)
}

/** The field with the parent's id. A link does not show it, because it is inside the answer of its parent. */
function parentField(member: string, kind: string, shown: boolean): Field<string> {
  const description = `The ${kind.replaceAll('_', ' ')} that it belongs to.`
  const schema = { ...uuidSchema, description }
  return { column: 'uuid', columnName: columnName(member), output: shown ? { '': schema } : {}, initial: '' }
}

/** The id that a client chose for a record, which answers call `id`. */
const chosenIdField: Field<string> = {
  column: 'text',
  output: { id: chosenIdSchema },
  initial: '',
  present: id => ({ id }),
}

const firstSchema = { type: 'boolean', description: 'Whether it is the first of the set.', example: true }

/** Adds `isPrimary` to the schema of a link: only the whole set of links shows which one is first. */
function ofLink(output: JsonSchema): JsonSchema {
  const properties = { ...(isObject(output.properties) ? output.properties : {}), isPrimary: firstSchema }
  return { ...output, required: Object.keys(properties), properties }
}

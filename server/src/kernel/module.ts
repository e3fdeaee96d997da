import { isScope, type Scope, scopes } from './auth/index.ts'
import type { BulkAction, Declared, ErasePerson, JobType } from './declared.ts'
import { type EventSource, eventSourcesOf } from './event-sources.ts'
import type { Job, Upkeep } from './jobs/index.ts'
import { type Bounds, bounds } from './limits/index.ts'
import type { Operation } from './operation.ts'
import { isNested, type Kinds, type Resource } from './record/index.ts'
import { projectionScopes } from './redact/index.ts'
import type { FieldRole } from './schema/index.ts'

/**
 * What a folder adds to the product. Routes, lock order, the OpenAPI document and most tests follow from the list of modules; nothing else
 * names a module.
 */
export interface Module {
  /** Kinds of records. A kind comes before the kinds that belong to it. */
  readonly resources?: readonly Resource[]
  /** The changes that bulk jobs can make to its records. */
  readonly bulkActions?: readonly BulkAction[]
  /** Erases a person from the data that the module keeps beside its records. */
  readonly erasePerson?: ErasePerson
  readonly operations: OperationsOf
  /** Operations that only the pages of the product call: see `cabinetPath`. They are in no document for integrators. */
  readonly cabinetOperations?: OperationsOf
  /** Kinds of work that runs after the commit that requested it. */
  readonly jobs?: readonly Job[]
  /** The types of its jobs whose ends the change feed tells. */
  readonly jobTypes?: readonly JobType[]
  /** Kinds of events that are not in the feed, but follow from those that are: `deal.won`. */
  readonly derivedEvents?: readonly string[]
  /** The limits on what clients can make it hold or do, by name: rows of the table in docs/operations/bounds.md. */
  readonly bounds?: Bounds
  /** Removes its expired records and files. */
  readonly upkeep?: readonly Upkeep[]
}

/** Operations, or a function that makes them from what all modules declare. */
type OperationsOf = readonly Operation[] | ((declared: Declared) => readonly Operation[])

/** All modules combined. */
export interface Product extends Declared {
  readonly operations: readonly Operation[]
  readonly cabinetOperations: readonly Operation[]
  readonly jobs: readonly Job[]
  readonly upkeep: readonly Upkeep[]
  /** What events can be about. */
  readonly eventSources: readonly EventSource[]
  /** The bounds of the kernel and of all modules. */
  readonly productBounds: Bounds
}

/** The kinds of records that have a field with this role, such as those that can have tags. */
export function kindsWith(role: FieldRole, { resources }: Pick<Kinds, 'resources'>): readonly string[] {
  return resources.filter(({ roles }) => roles[role] !== undefined).map(({ kind }) => kind)
}

/** Makes the product from its modules, in their order. */
export function productOf(modules: readonly Module[]): Product {
  const kinds = modules.flatMap(module => module.resources ?? [])
  const resources = kinds.filter(kind => !isNested(kind))
  const nestedResources = kinds.filter(isNested)
  const declared = {
    resources,
    nestedResources,
    bulkActions: modules.flatMap(module => module.bulkActions ?? []),
    erasures: modules.flatMap(({ erasePerson }) => (erasePerson === undefined ? [] : [erasePerson])),
    jobTypes: modules.flatMap(module => module.jobTypes ?? []),
  }
  const made = (of: OperationsOf) => (typeof of === 'function' ? of(declared) : of)
  const operations = modules.flatMap(module => made(module.operations))
  return {
    ...declared,
    operations,
    cabinetOperations: modules.flatMap(module => made(module.cabinetOperations ?? [])),
    jobs: modules.flatMap(module => module.jobs ?? []),
    upkeep: modules.flatMap(module => module.upkeep ?? []),
    eventSources: eventSourcesOf(
      { ...declared, operations },
      modules.flatMap(module => module.derivedEvents ?? []),
    ),
    productBounds: Object.assign({}, bounds, ...modules.map(module => module.bounds ?? {})),
  }
}

/** A scope and what it allows. */
export interface ServedScope {
  readonly scope: Scope
  /** Ids of operations, and protected values such as `reads contact_data` and `writes contact.contactData`. */
  readonly allows: readonly string[]
}

/**
 * The scopes that any part of the product requires: its routes, the records in the change feed, nested records and protected values. These
 * are the scopes that can be granted. They are in the order of the specification, followed by those that it does not name.
 */
export function servedScopes({
  resources,
  nestedResources,
  operations,
}: Pick<Product, 'resources' | 'nestedResources' | 'operations'>): readonly ServedScope[] {
  const uses = [
    ...operations.flatMap(({ id, scopes: asked }) => asked.map(scope => [scope, id] as const)),
    ...resources
      .filter(each => each.isSynchronized)
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

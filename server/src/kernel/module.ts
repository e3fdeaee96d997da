import type { Job } from './jobs/index.ts'
import type { Operation } from './operation.ts'
import { isNested, type Kinds } from './record/define-nested.ts'
import type { Resource } from './record/resource.ts'
import type { FieldRole } from './schema/index.ts'

/**
 * What a folder adds to the product. Routes, lock order, the OpenAPI document and most tests follow from the list of
 * modules; nothing else names a module.
 */
export interface Module {
  /** Kinds of records. A kind stands before the kinds that belong to it. */
  readonly resources?: readonly Resource[]
  /** The operations, or a function that makes them from the kinds of records of all modules. */
  readonly operations: readonly Operation[] | ((kinds: Kinds) => readonly Operation[])
  /** Kinds of work that is done after the commit that asked for it. */
  readonly jobs?: readonly Job[]
}

/** The sum of all modules. */
export interface Product extends Kinds {
  readonly operations: readonly Operation[]
  readonly jobs: readonly Job[]
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
  return {
    resources,
    nestedResources,
    operations: modules.flatMap(({ operations }) =>
      typeof operations === 'function' ? operations({ resources, nestedResources }) : operations,
    ),
    jobs: modules.flatMap(module => module.jobs ?? []),
  }
}

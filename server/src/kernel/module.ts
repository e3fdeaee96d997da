import type { Operation } from './operation.ts'
import { isNested, type Kinds } from './record/define-nested.ts'
import type { Resource } from './record/resource.ts'
import type { FieldRole } from './schema/index.ts'

/**
 * A part of the product: what its folder adds to all of it. Routes, scopes of kinds, lock order, the OpenAPI document, and
 * most tests follow from the list of modules; nothing else names a module.
 */
export interface Module {
  /** Kinds of records, each before those that belong to it. */
  readonly resources?: readonly Resource[]
  /** Routes; a function where they depend on what records there are. */
  readonly operations: readonly Operation[] | ((kinds: Kinds) => readonly Operation[])
}

/** What all modules add up to. */
export interface Product extends Kinds {
  readonly operations: readonly Operation[]
}

/** The kinds of records that have a field with this role: what a tag or a custom field can be for. */
export function kindsWith(role: FieldRole, { resources }: Pick<Kinds, 'resources'>): readonly string[] {
  return resources.filter(({ roles }) => roles[role] !== undefined).map(({ kind }) => kind)
}

/** Adds modules up, in their order. */
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
  }
}

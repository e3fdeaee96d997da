import type { Condition, FiledRows } from '../../kernel/columns/index.ts'
import { type Resource, type Scope, scopesOfFilter } from '../../kernel/index.ts'
import { type Issue, isObject, type JsonObject, type JsonSchema } from '../../kernel/schema/index.ts'
import { type ExportType, exportTypes } from './types.ts'

type Types = Readonly<Record<ExportType, FiledRows>>

/** The filters of lists that exports have too, and whether they take one value or several. */
const taken = {
  createdFrom: 'one',
  createdTo: 'one',
  updatedFrom: 'one',
  ownerUuid: 'one',
  pipelineId: 'one',
  stageUuid: 'one',
  tagIds: 'several',
} as const
const names = Object.entries(taken)

/** The JSON Schema of each filter. */
function schemasOf(types: Types): (readonly [name: string, schema: JsonSchema])[] {
  return names.map(([name, values]) => {
    const owners = exportTypes.map(type => types[type].owner).filter(({ filters }) => filters.has(name))
    const [owner] = owners
    const filter = owner?.filters.get(name)
    if (owner === undefined || filter === undefined) throw new Error(`nothing that is exported has a filter ${name}`)
    const scopes = scopesOfFilter(owner, name).map(scope => ` Needs \`${scope}\`.`)
    const only = owners.every(other => other === owner) ? ` Only for ${owner.plural}.` : ''
    const description = `${filter.description}.${only}${scopes.join('')}`
    const { schema } = filter
    return [
      name,
      values === 'one'
        ? { ...schema, description }
        : { type: 'array', minItems: 1, maxItems: 100, items: schema, description },
    ] as const
  })
}

/** JSON Schema of the filters of an export in requests. */
export function filtersInputSchema(types: Types): JsonSchema {
  return {
    component: 'ExportFiltersInput',
    type: 'object',
    description: 'Which records are exported: those that meet all filters. For links, the company or deal meets them.',
    properties: Object.fromEntries(schemasOf(types)),
    additionalProperties: false,
  }
}

/** JSON Schema of the filters with which an export was requested. */
export function filtersSchema(types: Types): JsonSchema {
  return {
    component: 'ExportFilters',
    type: 'object',
    description: 'As they were asked for; null where nothing was.',
    required: Object.keys(taken),
    properties: Object.fromEntries(schemasOf(types).map(([name, schema]) => [name, orNull(schema)])),
  }
}

function orNull({ type, minItems: _, ...schema }: JsonSchema): JsonSchema {
  return { ...schema, type: [type, 'null'] }
}

/** All filters, for answers: null for those that are not set. */
export function shownFilters(given: JsonObject): JsonObject {
  return Object.fromEntries(names.map(([name]) => [name, given[name] ?? null]))
}

/** Issues for filters that the exported records do not have. */
export function inspectFilters(given: unknown, { owner }: FiledRows, type: string): Issue[] {
  if (!isObject(given)) return []
  return Object.keys(given)
    .filter(name => !owner.filters.has(name))
    .map(name => ({ path: `/filters/${name}`, rule: 'filter', message: `An export of ${type} has no such filter` }))
}

/** JSON Schemas of bodies with a filter that their type does not have. */
export function wrongFilters(types: Types): JsonSchema[] {
  return schemasOf(types).flatMap(([name, schema]) => {
    const without = exportTypes.filter(type => !types[type].owner.filters.has(name))
    const type = { type: 'string', enum: without }
    const given = { type: 'object', required: [name], properties: { [name]: schema } }
    return without.length === 0 ? [] : [{ required: ['type', 'filters'], properties: { type, filters: given } }]
  })
}

/** The filters in their stored form: times in UTC, ids in lower case. */
export function tidyFilters(given: JsonObject, { owner }: FiledRows): JsonObject {
  const tidy = (name: string, value: unknown) => owner.filters.get(name)?.parse(String(value)) ?? value
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(item => tidy(name, item)) : tidy(name, value),
    ]),
  )
}

/** The scopes that filters need: a value that the token may not read cannot select records either. */
export function scopesOfFilters(given: JsonObject, owner: Resource): Scope[] {
  return Object.keys(given).flatMap(name => scopesOfFilter(owner, name))
}

/** The conditions of validated filters. */
export function conditionsOf(given: JsonObject, owner: Resource): Condition[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const filter = owner.filters.get(name)
    return filter === undefined ? [] : [{ filter, values: [value].flat() }]
  })
}

import type { Condition } from '../../kernel/columns/index.ts'
import type { Scope } from '../../kernel/index.ts'
import { type Issue, isObject, type JsonObject, type JsonSchema, toUtc, uuidSchema } from '../../kernel/schema/index.ts'
import { type ExportType, exportTypes } from './types.ts'

interface Filter {
  readonly member: string
  readonly is: Condition['is']
  readonly schema: JsonSchema
}

const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description })

const filters: Readonly<Record<string, Filter>> = {
  createdFrom: { member: 'createdAt', is: 'from', schema: time('Created at this time or later.') },
  createdTo: { member: 'createdAt', is: 'before', schema: time('Created before this time.') },
  updatedFrom: { member: 'updatedAt', is: 'from', schema: time('Changed at this time or later.') },
  ownerUuid: { member: 'ownerUuid', is: 'equal', schema: { ...uuidSchema, description: 'Owned by this operator.' } },
  pipelineId: { member: 'pipelineId', is: 'equal', schema: { ...uuidSchema, description: 'Of deals alone.' } },
  stageUuid: { member: 'stageUuid', is: 'equal', schema: { ...uuidSchema, description: 'Of deals alone.' } },
  tagIds: {
    member: 'tagIds',
    is: 'overlapping',
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: uuidSchema,
      description: 'With at least one of these tags. Needs `crm_tags_read`.',
    },
  },
}

const properties = Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema]))

/** JSON Schema of the filters of an export in requests. */
export const filtersInputSchema: JsonSchema = {
  component: 'ExportFiltersInput',
  type: 'object',
  description:
    'Which records are exported: those that all of these hold for. Of links, they are about the company or deal.',
  properties,
  additionalProperties: false,
}

/** JSON Schema of the filters with which an export was requested. */
export const filtersSchema: JsonSchema = {
  component: 'ExportFilters',
  type: 'object',
  description: 'As they were asked for; null where nothing was.',
  required: Object.keys(filters),
  properties: Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, orNull(schema)])),
}

function orNull({ type, minItems: _, ...schema }: JsonSchema): JsonSchema {
  return { ...schema, type: [type, 'null'] }
}

/** All filters, for answers: null for those that are not set. */
export function shownFilters(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(filters).map(name => [name, given[name] ?? null]))
}

/** Issues for filters on members that the exported records do not have. `members` are the members of these records. */
export function inspectFilters(given: unknown, members: ReadonlySet<string>, type: string): Issue[] {
  if (!isObject(given)) return []
  return Object.keys(given).flatMap(name => {
    const { member } = filters[name] ?? {}
    if (member === undefined || members.has(member)) return []
    return [{ path: `/filters/${name}`, rule: 'filter', message: `An export of ${type} has no such filter` }]
  })
}

/** JSON Schemas of bodies with a filter that their type does not have. */
export function wrongFilters(membersOf: (type: ExportType) => ReadonlySet<string>): JsonSchema[] {
  return Object.entries(filters).flatMap(([name, { member, schema }]) => {
    const without = exportTypes.filter(type => !membersOf(type).has(member))
    const type = { type: 'string', enum: without }
    const given = { type: 'object', required: [name], properties: { [name]: schema } }
    return without.length === 0 ? [] : [{ required: ['type', 'filters'], properties: { type, filters: given } }]
  })
}

/** The filters in their stored form: times in UTC, ids in lower case. */
export function tidyFilters(given: JsonObject): JsonObject {
  const tidy = (name: string, value: unknown) => {
    if (Array.isArray(value)) return value.map(item => String(item).toLowerCase())
    return filters[name]?.schema.format === 'date-time' ? toUtc(String(value)) : String(value).toLowerCase()
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, tidy(name, value)]))
}

/** The scopes that filters need: a value that the token may not read cannot select records either. */
export function scopesOfFilters(given: JsonObject): Scope[] {
  return 'tagIds' in given ? ['crm_tags_read'] : []
}

/** The conditions of validated filters. */
export function conditionsOf(given: JsonObject): Condition[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const filter = filters[name]
    return filter === undefined ? [] : [{ member: filter.member, is: filter.is, value }]
  })
}

import { isScope, type Scope } from '../auth/index.ts'
import type { QueryDeclaration, QueryParameter } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import type { RecordFilter, Resource } from '../record/resource.ts'
import { projectionScopes } from '../redact/index.ts'
import { codePoints, customFieldParameter } from '../schema/index.ts'

/** The order of a list unless its request says another one. */
export const usualOrder = '-createdAt'

/** The query parameters by which a list chooses and sorts its records, from the declarations of the kind. */
export function selectionParameters(resource: Resource): QueryDeclaration {
  const filters = [...resource.filters].map(([name, filter]): [string, QueryParameter] => [
    name,
    filterParameter(filter),
  ])
  if (resource.roles.customFields !== undefined) filters.push([customFieldsName, customFieldsParameter])
  return { ...Object.fromEntries(filters), sort: sortParameter(resource) }
}

function filterParameter({ description, schema, takesSeveral, parse }: RecordFilter): QueryParameter {
  return { schema, description, ...(takesSeveral ? { most: limits.filterValues } : {}), parse }
}

const customFieldsName = 'customField.<key>'

const customFieldsParameter: QueryParameter = {
  schema: { type: 'string', minLength: 1, maxLength: 5000 },
  description: 'With this value of the custom field',
  most: limits.filterValues,
  names: { form: customFieldParameter, most: limits.filteredCustomFields },
  parse: text => (text !== '' && codePoints(text) <= 5000 ? text : undefined),
}

function sortParameter({ orders }: Resource): QueryParameter {
  const words = [...orders.keys()].flatMap(word => [word, `-${word}`])
  return {
    schema: { type: 'string', enum: words, default: usualOrder },
    description: `The order: ${words.join(', ')}; - in front descends, records without the value come last`,
    parse: text => (words.includes(text) ? text : undefined),
  }
}

/** The scopes that a filter needs: a value that a token may not read cannot choose records either. */
export function scopesOfFilter(resource: Resource, name: string): Scope[] {
  const filter = resource.filters.get(name)
  const member = filter?.member ?? (customFieldParameter.test(name) ? resource.roles.customFields : '')
  return [filter?.scope, scopeOfMember(resource, member)].filter(scope => scope !== undefined).filter(isScope)
}

/** The scopes that the filters and the order of a request need, so that it tells nothing that its answer would hide. */
export function selectionScopes(resource: Resource, query: Readonly<Record<string, unknown>>): Scope[] {
  const scopes = Object.keys(query).flatMap(name => scopesOfFilter(resource, name))
  const { sort } = query
  const order = typeof sort === 'string' ? resource.orders.get(sort.replace(/^-/u, '')) : undefined
  return [...new Set([...scopes, scopeOfMember(resource, order?.member) ?? []].flat())]
}

function scopeOfMember({ fields }: Resource, member = ''): Scope | undefined {
  const projection = fields[member]?.projection
  return projection === undefined ? undefined : projectionScopes[projection]
}

import { isScope, type Scope } from '../auth/index.ts'
import type { QueryDeclaration, QueryParameter } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import type { Resource } from '../record/index.ts'
import { projectionScopes } from '../redact/index.ts'
import { customFieldParameter, customFieldTextSchema, type FieldFilter, isCustomFieldText } from '../schema/index.ts'

/** The order of a list whose request names none. */
export const usualOrder = '-createdAt'

const customFieldsName = 'customField.<key>'

/** The query parameters by which a list chooses and sorts its records, from the declarations of the kind. */
export function selectionParameters(resource: Resource): QueryDeclaration {
  const parameters = [...resource.filters].map(([name, filter]): [string, QueryParameter] => [
    name,
    filterParameter(resource, name, filter),
  ])
  if (resource.roles.customFields !== undefined) parameters.push([customFieldsName, customFieldsParameter(resource)])
  return { ...Object.fromEntries(parameters), sort: sortParameter(resource) }
}

function filterParameter(
  resource: Resource,
  name: string,
  { description, schema, form, example, takesSeveral, parse }: FieldFilter,
): QueryParameter {
  return {
    schema,
    description: `${description}: ${form}${takesSeveral ? repeated : ''}${neededBy(scopesOfFilter(resource, name))}`,
    ...(takesSeveral ? { most: limits.filterValues } : {}),
    ...(example === undefined ? {} : { example }),
    parse,
  }
}

const repeated = `; repeated up to ${limits.filterValues} times, any of them`

const neededBy = (scopes: readonly Scope[]) => scopes.map(scope => `. Needs \`${scope}\``).join('')

function customFieldsParameter(resource: Resource): QueryParameter {
  const scopes = scopesOfFilter(resource, 'customField.key')
  return {
    schema: customFieldTextSchema,
    description:
      `With this value of the custom field that has the key, such as \`customField.region=north\`, at most ${limits.filteredCustomFields} ` +
      `fields: a value of its type, true or false, or the key of an option${repeated}${neededBy(scopes)}`,
    most: limits.filterValues,
    names: {
      form: customFieldParameter,
      most: limits.filteredCustomFields,
      example: 'customField.region',
      component: 'CustomFieldFilter',
    },
    example: 'north',
    parse: text => (isCustomFieldText(text) ? text : undefined),
  }
}

function sortParameter(resource: Resource): QueryParameter {
  const words = [...resource.orders.keys()].flatMap(word => [word, `-${word}`])
  const needs = [...resource.orders].flatMap(([word, { member }]) =>
    scopesOfMember(resource, member).map(scope => `. \`${word}\` needs \`${scope}\``),
  )
  return {
    schema: { component: `${resource.title}Sort`, type: 'string', enum: words, default: usualOrder },
    description: `The order, descending with - in front: ${words.join(', ')}. Records without the value come last${needs.join('')}`,
    example: '-updatedAt',
    parse: text => (words.includes(text) ? text : undefined),
  }
}

/** The scopes that the filters and the order of a request need, so that it tells nothing that its answer would hide. */
export function selectionScopes(resource: Resource, query: Readonly<Record<string, unknown>>): Scope[] {
  const { sort } = query
  const order = typeof sort === 'string' ? resource.orders.get(wordOfOrder(sort)) : undefined
  const ofFilters = Object.keys(query).flatMap(name => scopesOfFilter(resource, name))
  return [...new Set([...ofFilters, ...scopesOfMember(resource, order?.member)])]
}

/** A word of `sort` without its direction. */
export function wordOfOrder(sort: string): string {
  return sort.replace(/^-/u, '')
}

/** The scopes that a filter needs beside that of the kind. */
export function scopesOfFilter(resource: Resource, name: string): Scope[] {
  const filter = resource.filters.get(name)
  if (filter === undefined)
    return customFieldParameter.test(name) ? scopesOfMember(resource, resource.roles.customFields) : []
  return [...[filter.scope ?? ''].filter(isScope), ...scopesOfMember(resource, filter.member)]
}

function scopesOfMember({ fields }: Resource, member = ''): Scope[] {
  const projection = fields[member]?.projection
  return projection === undefined ? [] : [projectionScopes[projection]]
}

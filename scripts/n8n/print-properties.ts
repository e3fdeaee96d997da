import type { Method } from '../../packages/sdk/scripts/api.ts'
import { type Input, inputsOf, isOnTop, resolve, type Schemas, typeOf, type ValueSchema } from './inputs.ts'
import { actionOf, operationLabel, optionLabel, resourceLabel, titleOf, upperFirst } from './labels.ts'
import { hasRows } from './print-operations.ts'

/** A parameter of a node, as n8n describes it. */
interface Property {
  readonly displayName: string
  readonly name: string
  readonly type: string
  readonly default: unknown
  readonly description?: string
  readonly required?: true
  readonly noDataExpression?: true
  readonly placeholder?: string
  readonly typeOptions?: object
  readonly options?: readonly object[]
  readonly displayOptions?: object
}

/** The parameters of the node: which resource, which operation of it, and what that takes. */
export function propertiesOf(methods: readonly Method[], schemas: Schemas): readonly Property[] {
  const resources = [...new Set(methods.map(({ resource }) => resource))]
  const choice: Property = {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: sorted(resources.map(resource => ({ name: resourceLabel(resource), value: resource }))),
    default: 'contacts',
  }
  return [
    choice,
    ...resources.map(resource =>
      operationsOf(
        resource,
        methods.filter(method => method.resource === resource),
      ),
    ),
    ...methods.flatMap(method => inputProperties(method, schemas)),
  ]
}

function operationsOf(resource: string, methods: readonly Method[]): Property {
  const options = methods.map(({ name, summary }) => ({
    name: operationLabel(name),
    value: name,
    description: name === 'upsert' ? upsertDescription : summary,
    action: actionOf(resource, name),
  }))
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: sorted(options),
    default: options.find(({ value }) => value === 'upsert')?.value ?? options[0]?.value ?? '',
  }
}

// In the words that the linter of n8n asks for.
const upsertDescription = 'Create a new record, or update the current one if it already exists (upsert)'

function inputProperties(method: Method, schemas: Schemas): Property[] {
  const shown = { displayOptions: { show: { resource: [method.resource], operation: [method.name] } } }
  const inputs = inputsOf(method, schemas)
  const optional = (place: Input['place']) => inputs.filter(input => input.place === place && !isOnTop(input))
  return [
    ...inputs.filter(isOnTop).map(input => ({
      ...propertyOf(input, schemas),
      ...(input.isRequired && { required: true as const }),
      ...shown,
    })),
    ...(method.row.paged
      ? paging.map(({ show, ...property }) => ({
          ...property,
          displayOptions: { show: { ...shown.displayOptions.show, ...show } },
        }))
      : []),
    ...collection('Additional Fields', 'additionalFields', optional('body'), schemas, shown),
    ...collection(method.row.paged ? 'Filters' : 'Options', 'options', optional('query'), schemas, shown),
  ]
}

// In the words that the linter of n8n asks for.
const paging = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
    show: {},
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    default: 50,
    typeOptions: { minValue: 1 },
    description: 'Max number of results to return',
    show: { returnAll: [false] },
  },
]

function collection(
  displayName: string,
  name: string,
  inputs: readonly Input[],
  schemas: Schemas,
  shown: object,
): Property[] {
  if (inputs.length === 0) return []
  const options = inputs.map(input => propertyOf(input, schemas)).sort(byDisplayName)
  return [{ displayName, name, type: 'collection', placeholder: 'Add Field', default: {}, ...shown, options }]
}

function propertyOf(input: Input, schemas: Schemas): Property {
  return { ...valueOf(input.name, input.schema, schemas), displayName: input.label, ...described(input) }
}

function described({ name, schema, description }: Pick<Input, 'name' | 'schema' | 'description'>): {
  description?: string
} {
  const told = upperFirst(description.replaceAll('`', ''))
  const text = typeOf(schema) === 'boolean' ? whether(name, told) : told
  return text === '' ? {} : { description: punctuated(text) }
}

/** The linter of n8n wants a point behind several sentences, none behind one, and IDs in capitals. */
function punctuated(text: string): string {
  const bare = text
    .replace(/\.$/u, '')
    .replaceAll(/\bid\b/gu, 'ID')
    .replaceAll(/\bids\b/gu, 'IDs')
  return bare.includes('. ') ? `${bare}.` : bare
}

function whether(name: string, told: string): string {
  if (name === 'overwrite')
    return 'Whether to write over what others have changed. Otherwise, a record that exists needs its Expected Version.'
  return told.startsWith('Whether ') ? told : `Whether to set ${titleOf(name)}`
}

function valueOf(name: string, schema: ValueSchema, schemas: Schemas): Property {
  const base = { displayName: titleOf(name), name }
  const type = typeOf(schema)
  if (schema.enum !== undefined)
    return { ...base, type: 'options', options: optionsOf(schema), default: firstOf(schema) }
  if (type === 'boolean') return { ...base, type: 'boolean', default: name === 'overwrite' }
  if (type === 'integer' || type === 'number') return { ...base, type: 'number', default: 0 }
  if (type === 'object') return { ...base, type: 'json', default: '{}' }
  if (type !== 'array') return { ...base, type: 'string', default: '', ...exampleOf(name, schema) }
  const element = resolve(schema.items ?? {}, schemas)
  if (hasRows(schema)) return { ...base, ...rowsOf(titleOf(name), element, schemas) }
  if (element.enum !== undefined) return { ...base, type: 'multiOptions', options: optionsOf(element), default: [] }
  return {
    ...base,
    type: 'string',
    typeOptions: { multipleValues: true },
    default: [],
    ...(name === 'email' && exampleOf(name, element)),
  }
}

function rowsOf(
  title: string,
  { properties = {} }: ValueSchema,
  schemas: Schemas,
): Omit<Property, 'displayName' | 'name'> {
  const values = Object.entries(properties).map(([name, schema]) => {
    const resolved = resolve(schema, schemas)
    return {
      ...valueOf(name, resolved, schemas),
      ...described({ name, schema: resolved, description: schema.description ?? '' }),
    }
  })
  return {
    type: 'fixedCollection',
    typeOptions: { multipleValues: true, sortable: true },
    placeholder: 'Add Row',
    default: {},
    options: [{ displayName: title, name: 'rows', values: values.sort(byDisplayName) }],
  }
}

function exampleOf(name: string, { examples }: ValueSchema): { placeholder?: string } {
  // In the words that the linter of n8n asks for.
  if (name === 'email') return { placeholder: 'name@email.com' }
  const example = examples?.find(each => typeof each === 'string')
  return typeof example === 'string' ? { placeholder: `e.g. ${example}` } : {}
}

function optionsOf({ enum: values = [] }: ValueSchema): { name: string; value: string }[] {
  return sorted(values.flatMap(value => (typeof value === 'string' ? [{ name: optionLabel(value), value }] : [])))
}

const firstOf = ({ enum: values = [] }: ValueSchema) => values[0] ?? ''

const sorted = <Option extends { readonly name: string }>(options: readonly Option[]) =>
  options.toSorted((one, other) => one.name.localeCompare(other.name, 'en'))

const byDisplayName = (one: Property, other: Property) => one.displayName.localeCompare(other.displayName, 'en')

import type { Method, Schema } from '../../packages/sdk/scripts/api.ts'
import { titleOf, upperFirst } from './labels.ts'

/** The schemas of the document by name. */
export type Schemas = Readonly<Record<string, Schema>>

/** JSON Schema, as far as the form of an input follows from it. */
export interface ValueSchema extends Schema {
  readonly examples?: readonly unknown[]
}

/** A value that an operation takes, and where it goes. */
export interface Input {
  /** The name of the parameter of the node. */
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  /** The member that it becomes: `['contactData', 'emails']` of a body. */
  readonly member: readonly string[]
  /** What the editor calls it. */
  readonly label: string
  readonly isRequired: boolean
  readonly schema: ValueSchema
  readonly description: string
  /** Whether several values of a query stand in one, with commas between. */
  readonly isJoined: boolean
}

/** All values that an operation takes, except where a list goes on and how long its pages are. Throws if two have one name. */
export function inputsOf(method: Method, schemas: Schemas): readonly Input[] {
  const { pathParameters, queryParameters, row } = method
  const inputs = [
    ...pathParameters.map(parameter => input('path', parameter.name, parameter.schema, parameter, true, schemas)),
    ...queryParameters
      .filter(({ name }) => !(row.paged && (name === 'cursor' || name === 'limit')))
      .map(parameter =>
        input('query', parameter.name, parameter.schema, parameter, parameter.required === true, schemas),
      ),
    ...bodyInputs(schemas[row.body ?? ''] ?? {}, schemas),
  ]
  const names = new Set(inputs.map(({ name }) => name))
  if (names.size !== inputs.length) throw new Error(`Two inputs of ${row.id} have one name`)
  return inputs
}

/** Whether an input stands outside of the collections: it is required, or it is whether an upsert overwrites, which has to be decided. */
export function isOnTop({ isRequired, name }: Input): boolean {
  return isRequired || name === 'overwrite'
}

function bodyInputs({ required = [], properties = {} }: Schema, schemas: Schemas): Input[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const resolved = resolve(schema, schemas)
    // An object with fixed members becomes an input for each of them.
    if (resolved.properties === undefined)
      return [input('body', name, schema, schema, required.includes(name), schemas)]
    return Object.entries(resolved.properties).map(([member, part]) => ({
      ...input('body', `${name}${upperFirst(member)}`, part, part, false, schemas),
      member: [name, member],
      // The e-mail addresses in the contact data are Emails, but the id in the deal is its Deal ID.
      label: titleOf(isReference(resolved) ? `${name}${upperFirst(member)}` : member),
    }))
  })
}

function input(
  place: Input['place'],
  name: string,
  schema: Schema,
  { description, explode }: { readonly description?: string; readonly explode?: boolean },
  isRequired: boolean,
  schemas: Schemas,
): Input {
  const resolved = resolve(schema, schemas)
  const text = description ?? resolved.description ?? ''
  const label = titleOf(name)
  return {
    name,
    place,
    member: [name],
    label,
    isRequired,
    schema: resolved,
    description: text,
    isJoined: explode === false,
  }
}

/** A schema without its reference, and without null as the other possibility. */
export function resolve(schema: ValueSchema, schemas: Schemas): ValueSchema {
  if (schema.$ref !== undefined) {
    const { $ref, ...beside } = schema
    return { ...resolve(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, schemas), ...beside }
  }
  const { anyOf, ...beside } = schema
  const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? []
  return only !== undefined && others.length === 0 ? { ...resolve(only, schemas), ...beside } : schema
}

/** The type of a schema that is not null. */
export function typeOf({ type, enum: values }: ValueSchema): string {
  if (type === undefined) return values === undefined ? 'object' : 'string'
  return typeof type === 'string' ? type : (type.find(each => each !== 'null') ?? 'object')
}

const isReference = ({ properties = {} }: Schema) => Object.keys(properties).join(' ') === 'id externalId'

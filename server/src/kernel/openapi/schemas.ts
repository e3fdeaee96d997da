import type { Resource } from '../abilities/index.ts'
import { sharedSchemas } from '../schema/check-compiler.ts'
import { canonicalJson, isObject, type JsonObject, type JsonSchema } from '../schema/index.ts'
import { mapChildren, propertiesOf } from './children.ts'
import { errorSchemas } from './errors.ts'
import { definedOnly, type KeywordUse, publishKeywords } from './keywords.ts'
import { recordInputs, recordSchemas } from './records.ts'

const prefix = '#/components/schemas/'

/**
 * The schemas of the document. A schema that declarations name, by a title, a `component` or a `$ref`, becomes a component once, with
 * references to it; any other schema is written inline.
 */
export class Schemas {
  readonly #known: ReadonlyMap<string, { readonly schema: JsonSchema; readonly use: KeywordUse }>
  readonly #inputs: ReadonlyMap<string, JsonSchema>
  readonly #components = new Map<string, JsonSchema>()

  constructor(resources: readonly Resource[]) {
    const entries = (schemas: Readonly<Record<string, JsonSchema>>, use: KeywordUse) =>
      Object.entries(schemas).map(([name, schema]) => [name, { schema, use }] as const)
    this.#known = new Map([
      ...entries(sharedSchemas, 'request'),
      ...entries(errorSchemas, 'answer'),
      ...entries(recordSchemas(resources), 'answer'),
    ])
    this.#inputs = recordInputs(resources)
  }

  /** A schema as the document writes it. */
  publish(schema: JsonSchema, use: KeywordUse): JsonSchema {
    if (typeof schema.$ref === 'string') return { ...publishKeywords(schema, use), $ref: this.#refer(schema.$ref) }
    if (typeof schema.component === 'string') return this.#publishNamed(schema.component, schema, use)
    const { title, ...untitled } = schema
    const published = mapChildren(publishKeywords(untitled, use), child => this.publish(child, use))
    return typeof title === 'string' ? this.#add(title, published) : published
  }

  /** A request body as a component; `itemName` names the elements of its `items`. */
  body(name: string, schema: JsonSchema, itemName?: string): JsonSchema {
    const annotated = this.#inputs.get(name) ?? schema
    const titled =
      itemName === undefined ? annotated : mapProperty(annotated, 'items', list => this.#named(list, itemName))
    return this.publish({ ...titled, title: name }, 'request')
  }

  /** The published schema that a published `$ref` stands for. */
  resolve(ref: string): JsonSchema {
    const schema = this.#components.get(ref.replace(prefix, ''))
    if (schema === undefined) throw new Error(`no component is called ${ref}`)
    return schema
  }

  /** Every component that something refers to, by name. */
  components(): JsonObject {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** The component contains what a value is; its purpose, and whether it may be null, are described where it is used. */
  #publishNamed(title: string, schema: JsonSchema, use: KeywordUse): JsonSchema {
    const { component: _, description, example, readOnly, ...form } = schema
    const said = publishKeywords(definedOnly({ description, example, readOnly }), use)
    const named = this.publish({ ...withoutNull(form), title }, use)
    return takesNull(form) ? { anyOf: [named, { type: 'null' }], ...said } : { ...named, ...said }
  }

  #named(list: JsonSchema, itemName: string): JsonSchema {
    const item = this.#inputs.get(itemName) ?? list.items
    return isObject(item) ? { ...list, items: { ...item, title: itemName } } : list
  }

  #refer(ref: string): string {
    const name = ref.replace(prefix, '')
    if (!this.#components.has(name)) {
      const known = this.#known.get(name)
      if (known === undefined) throw new Error(`no schema is called ${name}`)
      this.publish({ ...known.schema, title: name }, known.use)
    }
    return prefix + name
  }

  #add(name: string, schema: JsonSchema): JsonSchema {
    const earlier = this.#components.get(name)
    if (earlier !== undefined && canonicalJson(earlier) !== canonicalJson(schema))
      throw new Error(`two schemas are called ${name}`)
    this.#components.set(name, schema)
    return { $ref: prefix + name }
  }
}

function takesNull({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null')
}

function withoutNull(schema: JsonSchema): JsonSchema {
  if (!takesNull(schema) || !Array.isArray(schema.type)) return schema
  const [type] = schema.type.filter(each => each !== 'null')
  const words = Array.isArray(schema.enum) ? { enum: schema.enum.filter(word => word !== null) } : {}
  return { ...schema, type, ...words }
}

function mapProperty(schema: JsonSchema, name: string, replace: (property: JsonSchema) => JsonSchema): JsonSchema {
  const properties = propertiesOf(schema)
  const property = properties[name]
  return property === undefined ? schema : { ...schema, properties: { ...properties, [name]: replace(property) } }
}

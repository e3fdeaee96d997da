import type { BulkAction } from '../../kernel/index.ts'
import { isObject, type JsonSchema } from '../../kernel/schema/index.ts'

/**
 * JSON Schema of the changes of any action. Typed clients want one form, so it has the members of all actions;
 * `onlyOfAction` says which go together.
 */
export function changesSchema(actions: readonly BulkAction[]): JsonSchema {
  return {
    component: 'BulkChanges',
    type: 'object',
    minProperties: 1,
    properties: allMembers(actions),
    additionalProperties: false,
    description: actions.map(described).join(' '),
  }
}

/** What goes together, in keywords for the OpenAPI document: a check in code reports it better. */
export function onlyOfAction(actions: readonly BulkAction[]): JsonSchema {
  const all = allMembers(actions)
  const kinds = [...new Set(actions.map(({ resource }) => resource.kind))]
  const foreign = kinds.map(kind => ({
    properties: { entityType: is(kind), action: { not: oneOf(actions.filter(of(kind)).map(({ name }) => name)) } },
  }))
  const wrong = actions.flatMap(({ resource, name, members, required }) => {
    const asked = { entityType: is(resource.kind), action: is(name) }
    const others = { propertyNames: oneOf(Object.keys(members)), ...(required.length === 0 ? {} : { required }) }
    const notNull = Object.keys(members).filter(member => takesNull(all[member]) && !takesNull(members[member]))
    return [
      { properties: { ...asked, changes: { not: others } } },
      ...notNull.map(member => ({
        properties: { ...asked, changes: { required: [member], properties: { [member]: { type: 'null' } } } },
      })),
    ]
  })
  return { dependentSchemas: { entityType: { not: { anyOf: [...foreign, ...wrong] } } } }
}

/** The members of all actions. Of a member that two actions have, the wider form stands for both. */
function allMembers(actions: readonly BulkAction[]): Record<string, JsonSchema> {
  const all: Record<string, JsonSchema> = {}
  for (const { members } of actions) {
    for (const [name, schema] of Object.entries(members)) if (!takesNull(all[name])) all[name] = schema
  }
  return all
}

function described({ resource, name, members }: BulkAction): string {
  return `${name} of ${resource.plural}: ${Object.keys(members).join(', ')}.`
}

const of = (kind: string) => (action: BulkAction) => action.resource.kind === kind
const is = (word: string) => ({ type: 'string', const: word })
const oneOf = (words: readonly string[]) => ({ type: 'string', enum: words })

function takesNull(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema.type) && schema.type.includes('null')
}

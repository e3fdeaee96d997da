import type { BulkAction } from '../../kernel/index.ts'
import { isObject, type JsonSchema } from '../../kernel/schema/index.ts'
import { bulkJobWords } from './bulk-job-schema.ts'

/**
 * JSON Schema of the changes of any action. Typed clients need one schema, so it has the members of all actions; `onlyOfAction` says which
 * of them may appear together.
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

/** Which members belong to which action, as keywords for the OpenAPI document only: the check in code gives better errors. */
export function onlyOfAction(actions: readonly BulkAction[]): JsonSchema {
  const all = allMembers(actions)
  const { kinds, names } = bulkJobWords(actions)
  const foreign = kinds.flatMap(kind => {
    const own = actions.filter(({ resource }) => resource.kind === kind).map(({ name }) => name)
    return names.filter(name => !own.includes(name)).map(name => asking(kind, name))
  })
  const wrong = actions.flatMap(({ resource, name, members, required }) => {
    const properties = Object.fromEntries(required.map(member => [member, members[member]]))
    const fitting = { type: 'object', propertyNames: oneOf(Object.keys(members)), required, properties }
    const notNull = Object.keys(members).filter(member => takesNull(all[member]) && !takesNull(members[member]))
    const nulled = (member: string) => ({
      type: 'object',
      required: [member],
      properties: { [member]: { type: 'null' } },
    })
    return [{ not: fitting }, ...notNull.map(nulled)].map(changes => asking(resource.kind, name, { changes }))
  })
  return { dependentSchemas: { entityType: { not: { anyOf: [...foreign, ...wrong] } } } }
}

/** The members of all actions. If two actions share a member, the wider schema serves both. */
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

function asking(kind: string, name: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties: { entityType: oneOf([kind]), action: oneOf([name]), ...more } }
}

function oneOf(words: readonly string[]): JsonSchema {
  const [word, ...others] = words
  return others.length === 0 ? { type: 'string', const: word } : { type: 'string', enum: words }
}

function takesNull(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema.type) && schema.type.includes('null')
}

import { type Resource, recordSchema as reference } from '../abilities/index.ts'
import { receipt } from '../record/index.ts'
import { projectionScopes } from '../redact/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import { mapChildren, propertiesOf } from './children.ts'
import { describe } from './keywords.ts'

/**
 * The schema of each resource's record by its title, where every member that no projection removes is required; and the schema that a write
 * answers with.
 */
export function recordSchemas(resources: readonly Resource[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    resources.flatMap(resource => {
      const schema = recordSchema(resource)
      return [
        [resource.title, schema],
        [writtenName(resource), writtenSchema(resource, schema)],
      ]
    }),
  )
}

function recordSchema({ output, protectedMembers }: Resource): JsonSchema {
  const scopes = new Map(
    [...protectedMembers].flatMap(([projection, members]) =>
      members.map(member => [member, projectionScopes[projection]]),
    ),
  )
  const required = Object.keys(propertiesOf(output)).filter(member => !scopes.has(member))
  const note = (member: string) => (scopes.has(member) ? `Absent without \`${scopes.get(member)}\`.` : undefined)
  return { title: output.title, type: 'object', required, properties: noted(output, note) }
}

/** The bodies that write records, by component name. The descriptions of members say which scope writing them needs. */
export function recordInputs(resources: readonly Resource[]): Map<string, JsonSchema> {
  return new Map(
    resources.flatMap(({ input, fields }) => {
      const note = (member: string) => {
        const scope = fields[member]?.writeScope
        return scope === undefined ? undefined : `Needs \`${scope}\`.`
      }
      const bodies = [input.create, input.patch, input.upsert]
      return bodies.map(({ name, schema }): [string, JsonSchema] => [
        name,
        { ...schema, properties: noted(schema, note) },
      ])
    }),
  )
}

function writtenName({ title }: Resource): string {
  return `Written${title}`
}

/** One type for a record and for its receipt: members that only the record has are optional (contract section 2). */
function writtenSchema(resource: Resource, schema: JsonSchema): JsonSchema {
  const required = Object.keys(receipt(resource, {}))
  const members = required.map(member => `\`${member}\``).join(', ')
  const description = `The record as it is now. A token that may write it and not read it gets ${members} alone.`
  return { ...schema, description, required }
}

/** The answer of a write, where a receipt may replace each record. */
export function asWritten(schema: JsonSchema, resources: readonly Resource[]): JsonSchema {
  const resource = resources.find(candidate => reference(candidate).$ref === schema.$ref)
  if (resource !== undefined) return { $ref: `#/components/schemas/${writtenName(resource)}` }
  return mapChildren(schema, child => asWritten(child, resources))
}

function noted(schema: JsonSchema, note: (member: string) => string | undefined): Record<string, JsonSchema> {
  const properties = Object.entries(propertiesOf(schema))
  return Object.fromEntries(properties.map(([member, property]) => [member, describe(property, note(member))]))
}

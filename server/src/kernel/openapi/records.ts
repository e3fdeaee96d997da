import { type Resource, recordSchema as reference } from '../abilities/index.ts'
import { receipt } from '../record/codec.ts'
import { projectionScopes } from '../redact/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import { mapChildren, propertiesOf } from './children.ts'
import { describe } from './keywords.ts'

/** The record of each resource by its title: every member that no projection takes away is always there. */
export function recordSchemas(resources: readonly Resource[]): Record<string, JsonSchema> {
  return {
    ...Object.fromEntries(resources.map(resource => [receiptName(resource), receiptSchema(resource)])),
    ...Object.fromEntries(resources.map(resource => [resource.title, recordSchema(resource)])),
  }
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

/** The bodies that write records, by the name of their component: members say which scope writing them needs. */
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

function receiptName({ parent }: Resource): string {
  return parent === null ? 'Receipt' : 'NestedReceipt'
}

/** The same members for every resource, and for every nested kind. */
function receiptSchema(resource: Resource): JsonSchema {
  const members = Object.keys(receipt(resource, {}))
  const properties = Object.entries(propertiesOf(resource.output))
  return {
    type: 'object',
    description: 'What a token gets of a record that it wrote and may not read.',
    required: members,
    properties: Object.fromEntries(properties.filter(([member]) => members.includes(member))),
  }
}

/** The answer of a write, in which a receipt may stand for each record. */
export function withReceipts(schema: JsonSchema, resources: readonly Resource[]): JsonSchema {
  const resource = resources.find(candidate => reference(candidate).$ref === schema.$ref)
  if (resource !== undefined) {
    return { anyOf: [reference(resource), { $ref: `#/components/schemas/${receiptName(resource)}` }] }
  }
  return mapChildren(schema, child => withReceipts(child, resources))
}

function noted(schema: JsonSchema, note: (member: string) => string | undefined): Record<string, JsonSchema> {
  const properties = Object.entries(propertiesOf(schema))
  return Object.fromEntries(properties.map(([member, property]) => [member, describe(property, note(member))]))
}

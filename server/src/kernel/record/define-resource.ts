import type { Scope } from '../auth/index.ts'
import { type Fields, type JsonSchema, optionalUuidSchema, type Projection, uuidSchema } from '../schema/index.ts'
import { columnOf, membersOf, recordCodec, recordColumns } from './codec.ts'
import { resourceInput } from './record-input.ts'
import type { LinkField, Parent, ReferenceField, Resource, ResourceScopes, Rules, StateOf } from './resource.ts'
import { defineTable } from './table.ts'

/** What a resource says of itself; everything else follows. */
export interface ResourceDeclaration<F extends Fields> {
  readonly kind: string
  readonly plural: string
  readonly title: string
  readonly scopes: { readonly read: Scope; readonly write: Scope; readonly delete: Scope }
  readonly personal?: boolean
  /** The fields that a search hit shows; unless given, the first searched one is the title. */
  readonly hit?: { readonly title: Extract<keyof F, string>; readonly subtitle: Extract<keyof F, string> }
  readonly fields: F
  readonly rules?: Rules<StateOf<F>>
}

const time = { type: 'string', format: 'date-time' }

/** Compiles a declaration: its statements, body checks, answer schema and redaction. */
export function defineResource<const F extends Fields>(declaration: ResourceDeclaration<F>): Resource {
  return compileResource(declaration, declaration.plural, null)
}

interface Compilable extends Omit<ResourceDeclaration<Fields>, 'scopes' | 'rules'> {
  readonly scopes: ResourceScopes
  readonly rules?: Rules
}

/** Compiles what resources and nested records have in common. */
export function compileResource(
  { kind, plural, title, scopes, fields, personal = false, hit, rules = {} }: Compilable,
  table: string,
  parent: Parent | null,
): Resource {
  return {
    kind,
    plural,
    title,
    scopes,
    parent,
    fields,
    roles: rolesOf(fields),
    personal,
    hit: hit ?? { title: firstSearched(fields), subtitle: null },
    rules,
    input: resourceInput(title, fields, rules, parent === null),
    table: defineTable(table, ['id'], recordColumns(fields, parent)),
    links: linkFields(fields),
    references: referenceFields(table, fields),
    codec: recordCodec(fields, parent),
    output: outputSchema(title, fields, parent),
    protectedMembers: protectedMembersOf(fields, parent),
  }
}

function firstSearched(fields: Fields): string {
  return Object.keys(fields).find(name => fields[name]?.search === 'names') ?? ''
}

function rolesOf(fields: Fields): Resource['roles'] {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { role }]) => (role === undefined ? [] : [[role, name]])),
  )
}

function linkFields(fields: Fields): LinkField[] {
  return Object.entries(fields).flatMap(([name, { links }]) => {
    if (links === undefined) return []
    const columns = { [links.ownerColumn]: 'uuid', [links.targetColumn]: 'uuid', position: 'integer' }
    return [{ name, links, table: defineTable(links.table, [links.ownerColumn, links.targetColumn], columns) }]
  })
}

function referenceFields(table: string, fields: Fields): ReferenceField[] {
  return Object.entries(fields).flatMap(([name, field]): ReferenceField[] => {
    const { links, refersTo } = field
    if (links !== undefined) return [{ name, ...links }]
    if (refersTo === undefined) return []
    return [{ name, kind: refersTo, table, ownerColumn: 'id', targetColumn: columnOf(name, field) }]
  })
}

const keySchema = { type: ['string', 'null'], maxLength: 200, description: 'Your own key for it.', example: 'A-1042' }

function outputSchema(title: string, fields: Fields, parent: Parent | null): JsonSchema {
  const isLink = parent?.uniqueReference !== undefined
  const head = {
    id: uuidSchema,
    ...(parent === null ? { externalId: keySchema } : {}),
    version: { type: 'integer', minimum: 1, description: 'Raised by one with every change.' },
  }
  const properties: Record<string, JsonSchema> = isLink ? {} : head
  for (const [name, field] of Object.entries(fields)) {
    const documented = {
      ...(field.description === undefined ? {} : { description: field.description }),
      ...(field.example === undefined ? {} : { example: field.example }),
    }
    if (field.output === undefined) properties[name] = { ...field.input, ...documented }
    for (const [member, schema] of Object.entries(field.output ?? {})) {
      properties[member === '' ? name : member] = { ...schema, ...documented }
    }
  }
  const times = { createdAt: time, updatedAt: time }
  const authors = {
    createdByApplicationId: optionalUuidSchema,
    createdByUuid: optionalUuidSchema,
    updatedByUuid: optionalUuidSchema,
  }
  const tail = isLink ? {} : { ...times, ...(parent === null ? authors : {}) }
  return { title, type: 'object', properties: { ...properties, ...tail }, additionalProperties: false }
}

function protectedMembersOf(fields: Fields, parent: Parent | null): Map<Projection, readonly string[]> {
  const members = new Map<Projection, readonly string[]>()
  if (parent === null) members.set('operators', ['createdByUuid', 'updatedByUuid'])
  for (const [name, field] of Object.entries(fields)) {
    if (field.projection === undefined) continue
    members.set(field.projection, [...(members.get(field.projection) ?? []), ...membersOf(name, field)])
  }
  return members
}

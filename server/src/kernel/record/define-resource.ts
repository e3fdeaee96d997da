import type { Scope } from '../auth/index.ts'
import { type Conventions, crmConventions } from '../conventions.ts'
import {
  exampleExternalId,
  type FieldFilters,
  type Fields,
  type JsonSchema,
  optionalUuidSchema,
  type Projection,
  uuidSchema,
} from '../schema/index.ts'
import { columnOf, membersOf, recordCodec, recordColumns } from './codec.ts'
import { recordFilters, recordOrders } from './record-filters.ts'
import { type HeadMember, headAlike, headColumn, shownHead } from './record-head.ts'
import { resourceInput } from './record-input.ts'
import type {
  HeadColumns,
  HeadMembers,
  HitForm,
  LinkField,
  RecordForm,
  ReferenceField,
  Resource,
  ResourceScopes,
  Rules,
  StateOf,
} from './resource.ts'
import { defineTable } from './table.ts'

/** The declaration of a resource, from which everything else is derived. */
export interface ResourceDeclaration<F extends Fields> {
  readonly kind: string
  readonly plural: string
  readonly title: string
  /** null for a setting, which has no routes. */
  readonly scopes: { readonly read: Scope; readonly write: Scope; readonly delete: Scope } | null
  /** The path of the collection; `/api/v1/crm/<plural>` by default. */
  readonly path?: string
  /** The conventions of its routes; those of the CRM by default. */
  readonly conventions?: Conventions
  readonly headMembers?: HeadMembers
  /** The table; the plural by default. */
  readonly table?: string
  /** The largest number of records of the kind in one organization (422); no limit by default. */
  readonly most?: number
  /** What a search hit shows; by default, the first searched field is the title. */
  readonly hit?: { readonly title: Extract<keyof F, string>; readonly subtitle: Extract<keyof F, string> } & Partial<
    Pick<HitForm, 'isSubtitleSearched' | 'companies'>
  >
  readonly headColumns?: HeadColumns
  readonly fields: F
  /** Filters of its list that belong to no field, such as those by links of another kind. */
  readonly filters?: FieldFilters
  readonly rules?: Rules<StateOf<F>>
}

const time = { type: 'string', format: 'date-time' }

/** Compiles a declaration: its statements, body checks, answer schema and redaction. */
export function defineResource<const F extends Fields>(declaration: ResourceDeclaration<F>): Resource {
  const { plural, table = plural, scopes, headColumns = {}, headMembers = {} } = declaration
  const { conventions = crmConventions } = declaration
  const isSetting = scopes === null
  const isSynchronized = !isSetting && conventions.synchronizes
  const form = { parent: null, isSetting, headColumns, headMembers, conventions, isSynchronized }
  return compileResource({ ...declaration, scopes: scopes ?? noScopes }, table, form)
}

const noScopes: ResourceScopes = { read: '', write: '', delete: '' }

interface Compilable extends Omit<ResourceDeclaration<Fields>, 'scopes' | 'rules' | 'table' | keyof RecordForm> {
  readonly scopes: ResourceScopes
  readonly rules?: Rules
}

/** Compiles what resources and nested records have in common. */
export function compileResource(
  {
    kind,
    plural,
    path = `/api/v1/crm/${plural}`,
    title,
    scopes,
    fields,
    filters = {},
    hit,
    rules = {},
    most,
  }: Compilable,
  table: string,
  form: RecordForm,
): Resource {
  const roles = rolesOf(fields)
  return {
    kind,
    plural,
    path,
    title,
    scopes,
    ...form,
    fields,
    roles,
    personal: roles.anonymizedAt !== undefined,
    most: most ?? null,
    hit: { isSubtitleSearched: false, companies: null, ...(hit ?? { title: firstSearched(fields), subtitle: null }) },
    rules,
    input: resourceInput(title, fields, rules, form),
    table: {
      ...defineTable(table, [headColumn(form, 'id')], recordColumns(fields, form)),
      alike: headAlike(form),
    },
    links: linkFields(fields),
    references: referenceFields(table, fields),
    codec: recordCodec(fields, form),
    filters: recordFilters(fields, filters, form),
    orders: recordOrders(fields, form),
    output: outputSchema(title, fields, form),
    protectedMembers: protectedMembersOf(fields, form),
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

const headSchemas: Readonly<Record<string, JsonSchema>> = {
  id: uuidSchema,
  externalId: {
    type: ['string', 'null'],
    maxLength: 200,
    description: 'Your own key for it.',
    example: exampleExternalId,
  },
  version: { type: 'integer', minimum: 1, description: 'Raised by one with every change.' },
  createdAt: time,
  updatedAt: time,
  createdByApplicationId: {
    ...optionalUuidSchema,
    description: 'The application through which it was created; null: none.',
  },
  createdByUuid: { ...optionalUuidSchema, description: 'The operator who created it; null: an application did.' },
  updatedByUuid: { ...optionalUuidSchema, description: 'The operator who changed it last; null: an application did.' },
}

function outputSchema(title: string, fields: Fields, form: RecordForm): JsonSchema {
  const { opening, closing } = shownHead(form)
  const described = (members: readonly HeadMember[]) =>
    Object.fromEntries(
      members.map(([name, member]): [string, JsonSchema] => {
        const schema = headSchemas[name] ?? {}
        // A member that holds the id of another record has the name of that kind: `channelId`.
        return [member, name === member ? schema : { ...schema, description: `The ${member.replace(/Id$/u, '')}.` }]
      }),
    )
  const properties = described(opening)
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
  return { title, type: 'object', properties: { ...properties, ...described(closing) }, additionalProperties: false }
}

function protectedMembersOf(fields: Fields, form: RecordForm): Map<Projection, readonly string[]> {
  const members = new Map<Projection, readonly string[]>()
  if (form.isSynchronized) members.set('operators', ['createdByUuid', 'updatedByUuid'])
  for (const [name, field] of Object.entries(fields)) {
    if (field.projection === undefined) continue
    members.set(field.projection, [...(members.get(field.projection) ?? []), ...membersOf(name, field)])
  }
  return members
}

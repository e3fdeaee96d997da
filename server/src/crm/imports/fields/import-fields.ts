import { fileColumnsOf, type RecordColumn } from '../../../kernel/columns/index.ts'
import type { Kinds } from '../../../kernel/index.ts'
import { type Configuration, labelOf, parserOf } from '../../../kernel/schema/index.ts'
import { type EntityType, linksOf, resourceOf } from './entity-types.ts'

/** A field that a column of a file can be mapped to. */
export interface ImportField
  extends Pick<RecordColumn, 'key' | 'label' | 'type' | 'options' | 'keepsSpace' | 'parse' | 'writeScope'> {
  /** The path of the value in a request for the record; null if the row uses it for something else. */
  readonly path: RecordColumn['path']
  /** Whether a mapping without it is refused. */
  readonly isRequired: boolean
  /** A group of fields of which a mapping needs at least one, although no single field is required. */
  readonly oneOf: string | null
}

/** The inputs that determine the fields of an organization. */
export interface FieldContext {
  readonly configuration: Configuration
  readonly tags: ReadonlyMap<string, string>
  readonly kinds: Kinds
}

/** The fields of an entity type, in their order (contract section 10.3, "Import"). */
export function fieldsOf(type: EntityType, context: FieldContext): readonly ImportField[] {
  const resource = resourceOf(type)
  if (resource === null) return linkFields(type, context.kinds)
  const columns = fileColumnsOf(resource, context).filter(({ key, path }) => path !== null || key === 'uuid')
  const own = columns.map(column => ({
    ...column,
    isRequired: isRequired(type, column.key),
    oneOf: oneOf(type, column.key),
  }))
  return type === 'contacts' ? [...own, ...contactExtras] : own
}

function isRequired(type: EntityType, key: string): boolean {
  return type === 'companies' && key === 'name'
}

/** A contact needs at least one field that identifies it or a way to reach it. */
function oneOf(type: EntityType, key: string): string | null {
  return type === 'contacts' && ['firstName', 'lastName', 'phone1', 'email1', 'fullName'].includes(key)
    ? 'a name or an address'
    : null
}

const extra = (key: string, type: RecordColumn['type'], label = labelOf(key)): ImportField => ({
  key,
  label,
  type,
  path: null,
  isRequired: false,
  oneOf: null,
  parse: parserOf(type),
})

const contactExtras = [
  { ...extra('fullName', 'text', 'Full name (split into first and last name)'), oneOf: oneOf('contacts', 'fullName') },
  extra('ownerEmail', 'email'),
  extra('companyExternalId', 'text'),
  extra('companyName', 'text'),
]

function linkFields(type: EntityType, kinds: Kinds): readonly ImportField[] {
  const rows = linksOf(type, kinds)
  if (rows === null) return []
  const { owner, targetKind, columns } = rows.links
  const sides = [owner.kind, targetKind]
  return columns.flatMap((column): ImportField[] => {
    const side = sides.find(kind => column.key === `${kind}Uuid`)
    const field = { ...column, isRequired: side !== undefined && !rows.takesKeys, oneOf: null }
    if (side === undefined || !rows.takesKeys) return [field]
    const group = `a key of the ${side}`
    return [
      { ...field, oneOf: group },
      { ...extra(`${side}ExternalId`, 'text'), oneOf: group },
    ]
  })
}

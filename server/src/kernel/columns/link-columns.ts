import { isNested, type LinkField, type Nested, type ReferenceField, type Resource } from '../record/index.ts'
import { labelOf, parserOf, plainText } from '../schema/index.ts'
import type { RecordColumn } from './record-columns.ts'

/** Links from records of one kind to records of another. A file has one row per link. */
export interface FiledLinks {
  /** The kind whose records have the links, such as deals of `deal_companies`. */
  readonly owner: Resource
  /** The kind of the linked records: `company`. */
  readonly targetKind: string
  /**
   * `<owner>Uuid` and `<target>Uuid`, the links' own fields, and `isPrimary`. Rows have these as `ownerId` and `targetId`, under the names
   * of the fields, and as `isPrimary`.
   */
  readonly columns: readonly RecordColumn[]
}

/** The links of a field such as `companies` of deals. */
export function filedLinksOf(owner: Resource, fieldName: string): FiledLinks & { readonly links: LinkField } {
  const links = owner.links.find(({ name }) => name === fieldName)
  if (links === undefined) throw new Error(`${owner.kind} has no links ${fieldName}`)
  const targetKind = links.links.kind
  return { owner, targetKind, links, columns: linkColumns(owner.kind, targetKind, []) }
}

/** Links that are records of their own, such as those of companies to contacts. */
export function filedNestedLinks(
  links: Resource,
): FiledLinks & { readonly links: Nested; readonly reference: ReferenceField } {
  const [reference] = links.references
  if (!isNested(links) || reference === undefined) throw new Error(`${links.kind} is no kind of links`)
  const own = Object.entries(links.fields).filter(
    ([name, field]) => field.input !== undefined && name !== reference.name,
  )
  const owner = links.parent.resource
  const names = own.map(([name]) => name)
  return {
    owner,
    targetKind: reference.kind,
    links,
    reference,
    columns: linkColumns(owner.kind, reference.kind, names),
  }
}

function linkColumns(owner: string, target: string, own: readonly string[]): RecordColumn[] {
  const column = (key: string, field: string, type: RecordColumn['type']): RecordColumn => {
    return {
      key,
      label: labelOf(key),
      type,
      field,
      path: [field],
      text: row => plainText(row[field]),
      parse: parserOf(type),
    }
  }
  return [
    column(`${owner}Uuid`, 'ownerId', 'uuid'),
    column(`${target}Uuid`, 'targetId', 'uuid'),
    ...own.map(name => column(name, name, 'text')),
    column('isPrimary', 'isPrimary', 'boolean'),
  ]
}

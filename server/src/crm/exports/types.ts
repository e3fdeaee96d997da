import { type FiledRows, filedLinkRecords, filedLinks, filedRecords } from '../../kernel/columns/index.ts'
import type { Kinds } from '../../kernel/index.ts'

/** What can be exported (specification, "Exports"). */
export const exportTypes = [
  'contacts',
  'companies',
  'company_contacts',
  'deal_contacts',
  'deal_companies',
  'deals',
] as const

export type ExportType = (typeof exportTypes)[number]

/** The source of the rows for each type. */
export function rowsOfTypes({ resources, nestedResources }: Kinds): Readonly<Record<ExportType, FiledRows>> {
  const kindOf = (kind: string) => {
    const found = [...resources, ...nestedResources].find(resource => resource.kind === kind)
    if (found === undefined) throw new Error(`there are no records of the kind ${kind} to export`)
    return found
  }
  return {
    contacts: filedRecords(kindOf('contact')),
    companies: filedRecords(kindOf('company')),
    company_contacts: filedLinkRecords(kindOf('company_contact')),
    deal_contacts: filedLinks(kindOf('deal'), 'contacts'),
    deal_companies: filedLinks(kindOf('deal'), 'companies'),
    deals: filedRecords(kindOf('deal')),
  }
}

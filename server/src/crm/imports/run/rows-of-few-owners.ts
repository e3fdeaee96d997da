import type { SourceRow } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { EntityType } from '../fields/entity-types.ts'
import type { ImportRow } from '../import.ts'

/** The fields by which rows name a company whose links they change: all links of that company are loaded, at most a thousand. */
const ownerFields: Readonly<Partial<Record<EntityType, readonly string[]>>> = {
  contacts: ['companyExternalId', 'companyName'],
  company_contacts: ['companyUuid', 'companyExternalId'],
}

/** The longest prefix of the rows that names at most `importOwners` companies; at least one row. */
export function rowsOfFewOwners(
  rows: readonly SourceRow[],
  { entity_type: type, columns }: Pick<ImportRow, 'entity_type' | 'columns'>,
): readonly SourceRow[] {
  const indexes = (ownerFields[type] ?? []).flatMap(field => columns?.[field]?.index ?? [])
  const named = new Set<string>()
  const end = rows.findIndex(({ cells }) => {
    for (const index of indexes) {
      const cell = cells[index]?.trim() ?? ''
      if (cell !== '') named.add(cell)
    }
    return named.size > bounds.importOwners.most
  })
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}

/** How many rows are decided at a time when each looks at all loaded links; at least one. */
export function rowsAtOnce(work: WorkingSet, kindOfLinks: string): number {
  const links = [...work.siblings(kindOfLinks)].length
  return Math.max(1, Math.floor(bounds.importLinks.most / Math.max(1, links)))
}

import type { EntityType } from '../fields/entity-types.ts'
import { targetOf } from '../fields/header-patterns.ts'
import { readHeader } from '../fields/read-header.ts'

/** How many columns may be the one with the names of companies. */
const mostCompanyColumns = 3

/** The numbers of the columns whose headers say that they name the companies of contacts. */
export function companyColumns(header: readonly string[], type: EntityType): number[] {
  if (type !== 'contacts') return []
  const isOne = (name: string) => name === 'companyName' || targetOf(readHeader(name), type)?.target === 'companyName'
  return header.flatMap((name, index) => (isOne(name) ? [index] : [])).slice(0, mostCompanyColumns)
}

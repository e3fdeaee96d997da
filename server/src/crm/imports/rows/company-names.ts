import { type FoundRecord, type Lookup, recordsFound } from '../../../kernel/index.ts'
import { searchForm } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { company } from '../../companies/index.ts'
import { ofCompany } from './match-values.ts'
import { type RowPlan, textValue } from './plan-row.ts'

/** Companies by their names, ignoring case, spaces and accents; with those that earlier rows have created. */
export class CompanyNames {
  readonly #ids = new Map<string, Set<string>>()

  /** The companies that rows name: those that the look-up has found, and those that are loaded. */
  static of(companies: Lookup<readonly FoundRecord[]>, work: WorkingSet): CompanyNames {
    const names = new CompanyNames()
    for (const { id, name } of work.read(companies)) names.add(String(name), id)
    for (const { id, name } of work.siblings(company.kind)) names.add(String(name), id)
    return names
  }

  add(name: string, id: string): void {
    const form = searchForm(name)
    this.#ids.set(form, (this.#ids.get(form) ?? new Set()).add(id))
  }

  /** The ids of the companies with this name. */
  named(name: string): readonly string[] {
    return [...(this.#ids.get(searchForm(name)) ?? [])]
  }
}

/** Finds the companies whose names are in these rows. A row with a key looks for companies without a key. */
export function companiesNamedIn(
  plans: readonly RowPlan[],
  { applicationId }: { readonly applicationId: string | null },
): Lookup<readonly FoundRecord[]> {
  const values: string[] = []
  const withoutKey: string[] = []
  for (const plan of plans) {
    const name = textValue(plan, 'companyName')
    if (name === null) continue
    if (textValue(plan, 'companyExternalId') === null) values.push(name)
    else withoutKey.push(name)
  }
  return recordsFound(company, ofCompany, { values, withoutKey, applicationId })
}

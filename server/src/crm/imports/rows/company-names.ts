import { type FoundRecord, type Lookup, recordsFound } from '../../../kernel/index.ts'
import { searchForm } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { company } from '../../companies/index.ts'
import { ofCompany } from './match-values.ts'
import { type RowPlan, textValue } from './row-plan.ts'

/**
 * Companies by their names, ignoring case, spaces and accents: those that a look-up has found, those that are loaded, and those that earlier
 * rows have created.
 */
export class CompanyNames {
  readonly #companies: Lookup<readonly FoundRecord[]>
  readonly #work: WorkingSet
  /** Null until a row names a company: most files name none. */
  #ids: Map<string, Set<string>> | null = null

  constructor(companies: Lookup<readonly FoundRecord[]>, work: WorkingSet) {
    this.#companies = companies
    this.#work = work
  }

  add(name: string, id: string): void {
    addTo(this.#known(), name, id)
  }

  /** The ids of the companies with this name. */
  named(name: string): readonly string[] {
    return [...(this.#known().get(searchForm(name)) ?? [])]
  }

  #known(): Map<string, Set<string>> {
    if (this.#ids !== null) return this.#ids
    const ids = new Map<string, Set<string>>()
    for (const { id, name } of this.#work.read(this.#companies)) addTo(ids, String(name), id)
    for (const { id, name } of this.#work.siblings(company.kind)) addTo(ids, String(name), id)
    this.#ids = ids
    return ids
  }
}

function addTo(ids: Map<string, Set<string>>, name: string, id: string): void {
  const form = searchForm(name)
  ids.set(form, (ids.get(form) ?? new Set()).add(id))
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

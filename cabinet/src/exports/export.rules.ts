import type { Selection } from '../lists/filters.rules.ts'
import type { Kind } from '../records/kinds.ts'

/** What can be exported from the list of a kind: its records first, then their links. */
export const exportTypesOf: Readonly<Record<Kind, readonly string[]>> = {
  contacts: ['contacts'],
  companies: ['companies', 'company_contacts'],
  deals: ['deals', 'deal_contacts', 'deal_companies'],
  tasks: [],
}

const common = ['createdFrom', 'createdTo', 'updatedFrom', 'ownerUuid', 'tagIds']

const filtersOfExports: Readonly<Record<Kind, readonly string[]>> = {
  contacts: common,
  companies: common,
  deals: [...common, 'pipelineId', 'stageUuid'],
  tasks: [],
}

/** The filters of a list that its export has too, and the names of the others. An export takes several tags, and one value of all else. */
export function exportFiltersOf(
  kind: Kind,
  { search, filters }: Selection,
): { readonly filters: Readonly<Record<string, string | readonly string[]>>; readonly left: readonly string[] } {
  const taken: Record<string, string | readonly string[]> = {}
  const left = search === '' ? [] : ['search']
  for (const [name, values] of Object.entries(filters)) {
    const [value] = values
    if (value === undefined) continue
    if (!filtersOfExports[kind].includes(name) || (name !== 'tagIds' && values.length > 1)) left.push(name)
    else taken[name] = name === 'tagIds' ? values : value
  }
  return { filters: taken, left }
}

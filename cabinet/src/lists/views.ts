import { queryOptions, useQuery } from '@tanstack/react-query'
import { request } from '../api/index.ts'
import type { Kind } from '../records/kinds.ts'
import type { Json } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type ViewDefinition, viewOf } from './views.rules.ts'

/** A saved view of a list. */
export interface SavedView {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly shared: boolean
  readonly mine: boolean
  readonly definition: Json
  readonly version: number
}

/** The saved views of an organization. */
export function viewsQuery(organization: string) {
  return queryOptions({
    queryKey: ['views', organization],
    queryFn: ({ signal }) => request<SavedView[]>('GET', `/o/${organization}/views`, { signal }),
    staleTime: 60_000,
  })
}

/** The saved views of a kind. */
export function useViews(kind: Kind): readonly (SavedView & { readonly shows: ViewDefinition })[] {
  const { organization } = useWorkspace()
  const { data = [] } = useQuery(viewsQuery(organization.id))
  return data.filter(view => view.kind === kind).map(view => ({ ...view, shows: viewOf(kind, view.definition) }))
}

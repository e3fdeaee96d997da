import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { queryOf, type Selection, selectionOf } from './filters.rules.ts'
import { isBoardIn, withLayout } from './layout-switch.tsx'
import { useListQuery } from './use-list-query.ts'

/** What the address asks the list to show, and how to change that. */
export function useSelection(kind: Kind): {
  selection: Selection
  show: (next: Selection, how?: 'push' | 'replace') => void
} {
  const router = useRouter()
  const search = useListQuery(kind)
  // Other parameters of the address change nothing here.
  const query = useMemo(() => queryOf(selectionIn(kind, search)).toString(), [kind, search])
  const selection = useMemo(() => selectionIn(kind, query), [kind, query])
  const show = (next: Selection, how: 'push' | 'replace' = 'push') => {
    const { pathname, search } = router.history.location
    const query = withLayout(queryOf(next), isBoardIn(search))
    router.history[how](query.size === 0 ? pathname : `${pathname}?${query}`)
  }
  return { selection, show }
}

function selectionIn(kind: Kind, search: string): Selection {
  return selectionOf(kind, kindFacts[kind].orders, new URLSearchParams(search))
}

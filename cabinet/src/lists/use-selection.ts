import { useRouter, useRouterState } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { queryOf, type Selection, selectionOf } from './filters.rules.ts'

/** What the address asks the list to show, and how to change that. */
export function useSelection(kind: Kind): {
  selection: Selection
  show: (next: Selection, how?: 'push' | 'replace') => void
} {
  const router = useRouter()
  const href = useRouterState({ select: state => state.location.href })
  const selection = useMemo(() => {
    const { search } = router.history.location
    return selectionOf(kind, kindFacts[kind].orders, new URLSearchParams(search))
    // The address of the router changes whenever that of the history does.
  }, [kind, router, href])
  const show = (next: Selection, how: 'push' | 'replace' = 'push') => {
    const query = queryOf(next).toString()
    const { pathname } = router.history.location
    router.history[how](query === '' ? pathname : `${pathname}?${query}`)
  }
  return { selection, show }
}

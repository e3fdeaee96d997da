import { useParams, useRouter, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import type { Kind } from '../records/kinds.ts'

/**
 * What the address of a list asks for. The address changes before the page that it leads to is loaded: until then the list keeps what it
 * was last asked for.
 */
export function useListQuery(kind: Kind): string {
  const { organization = '' } = useParams({ strict: false })
  const router = useRouter()
  // The address of the router changes whenever that of the history does, also by what is no part of the query.
  useRouterState({ select: state => state.location.href })
  const { pathname, search } = router.history.location
  const isHere = pathname.replace(/\/$/u, '') === `/cabinet/o/${organization}/${kind}`
  const [last, setLast] = useState('')
  if (isHere && search !== last) setLast(search)
  return isHere ? search : last
}

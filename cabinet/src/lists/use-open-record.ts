import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { useListQuery } from './use-list-query.ts'
import { useIsWide } from './use-media.ts'

const parameter = 'open'
/** How long one stays at a record, in milliseconds, before the address names it: browsers bear few changes of it in a second. */
const passing = 120

/**
 * The record that is open: on a wide page beside the list, named by the address, so that a reload shows it again; on a narrow one on its
 * own page.
 */
export function useOpenRecord(kind: Kind) {
  const { organization } = useWorkspace()
  const router = useRouter()
  const isWide = useIsWide()
  const named = new URLSearchParams(useListQuery(kind)).get(parameter) ?? undefined
  const place = `/cabinet/o/${organization.id}/${kind}`
  const open = useCallback(
    (id: string, how: 'push' | 'replace' = 'push') => {
      if (!isWide) return router.history[how](`${place}/${id}`)
      const query = new URLSearchParams(router.history.location.search)
      query.set(parameter, id)
      router.history[how](`${place}?${query}`)
    },
    [router, isWide, place],
  )
  /** The record that one has come to, which the address does not name yet. */
  const [passed, setPassed] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stay = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = undefined
  }, [])
  const pass = useCallback(
    (id: string) => {
      stay()
      setPassed(id)
      timer.current = setTimeout(() => {
        timer.current = undefined
        open(id, 'replace')
      }, passing)
    },
    [stay, open],
  )
  // The address has come after, or leads elsewhere.
  useEffect(() => {
    if (timer.current === undefined) setPassed(undefined)
  }, [named])
  useEffect(() => stay, [stay, place])
  /** The record that is being closed. */
  const closing = useRef<string>(undefined)
  const close = useCallback(() => {
    closing.current = passed ?? named
    stay()
    setPassed(undefined)
    const query = new URLSearchParams(router.history.location.search)
    query.delete(parameter)
    router.history.push(query.size === 0 ? place : `${place}?${query}`)
  }, [router, place, stay, passed, named])
  useEffect(() => {
    if (named !== undefined || closing.current === undefined) return
    const card = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(closing.current)}"]`)
    closing.current = undefined
    // What had the focus has gone with the panel.
    if (document.activeElement !== document.body) return
    if (card === null) document.querySelector<HTMLElement>('[role=grid]')?.focus()
    else card.focus()
  }, [named])
  useEffect(() => {
    if (!isWide && named !== undefined) open(named, 'replace')
  }, [isWide, named, open])
  return { opened: isWide ? (passed ?? named) : undefined, open, pass, close }
}

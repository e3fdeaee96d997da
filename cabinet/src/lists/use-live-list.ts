import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLive } from '../live/index.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { findRecords } from '../records/record-requests.ts'
import type { Selection } from './filters.rules.ts'
import { countAbsent, OldRows } from './live-rows.rules.ts'
import { dropRow, readPagesOf, replaceRows, rowsKey } from './use-rows.ts'

const pause = 250
const refusedPause = 5_000
const mostIds = 100
/** How many rows are read one by one; of more, their pages are read. */
const mostSingly = 20
const mostAdded = 10_000

/**
 * Keeps the rows in sight as they are on the server: at most 100 of them are read again each quarter of a second, by their pages when many are
 * old, those out of sight as soon as they come into it. New records never push what one reads: they are counted until the reader wants to see them.
 */
export function useLiveList(
  organization: string,
  kind: Kind,
  selection: Selection,
  rows: readonly RecordState[],
  onDeleted: (id: string) => void,
) {
  const client = useQueryClient()
  const [old] = useState(() => new OldRows())
  const created = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** When rows may be read again after the server did not answer, or had too many requests. */
  const notBefore = useRef(0)
  const isLeft = useRef(false)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const { singular } = kindFacts[kind]
  const catchUp = async () => {
    timer.current = undefined
    if (created.current.size > 0) {
      const [...ids] = created.current
      created.current.clear()
      setAdded(before => new Set([...before, ...ids].slice(-mostAdded)))
    }
    const isTooEarly = Date.now() < notBefore.current
    const ids = isTooEarly ? [] : old.take(mostIds)
    if (ids.length > 0) {
      const paged = ids.length > mostSingly ? await readPagesOf(client, organization, kind, selection, ids) : []
      const known = new Set(paged.map(({ id }) => id))
      const rest = ids.filter(id => !known.has(id))
      const { records, unread, retryAt } = await findRecords(organization, kind, rest)
      replaceRows(client, organization, kind, [...paged, ...records])
      for (const id of unread) old.add(id)
      if (unread.length > 0) notBefore.current = Math.max(Date.now() + refusedPause, retryAt?.getTime() ?? 0)
    }
    if (old.isAnyInSight && !isLeft.current) soon()
  }
  const soon = () => {
    timer.current ??= setTimeout(
      () => void catchUp(),
      Math.max(pause, created.current.size > 0 ? 0 : notBefore.current - Date.now()),
    )
  }
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [])
  const beginAnew = () => {
    old.clear()
    void client.invalidateQueries({ queryKey: rowsKey(organization, kind) })
  }
  useLive(organization, message => {
    if (message.type === 'reset') return beginAnew()
    if (message.type !== 'change' || message.change.resourceType !== singular) return
    const { operation, resourceId } = message.change
    if (operation === 'deleted' || operation === 'anonymized') {
      onDeleted(resourceId)
      return dropRow(client, organization, kind, resourceId)
    }
    if (operation === 'created') created.current.add(resourceId)
    else if (!old.add(resourceId)) return beginAnew()
    soon()
  })
  const latest = useRef(soon)
  useEffect(() => {
    latest.current = soon
  })
  const note = useCallback(
    (ids: readonly string[]) => {
      old.see(ids)
      if (old.isAnyInSight) latest.current()
    },
    [old],
  )
  const here = useMemo(() => new Set(rows.map(({ id }) => id)), [rows])
  return {
    /** How many records came into being that the list does not show yet. */
    added: useMemo(() => countAbsent(added, here), [added, here]),
    forget: (id: string) => setAdded(ids => new Set([...ids].filter(one => one !== id))),
    clear: () => {
      created.current.clear()
      setAdded(new Set())
    },
    note,
  }
}

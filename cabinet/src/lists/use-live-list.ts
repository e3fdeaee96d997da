import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { useLive } from '../live/index.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { findRecords } from '../records/record-requests.ts'
import { dropRow, replaceRows, rowsKey } from './use-rows.ts'

const pause = 250
const mostIds = 100

/**
 * Keeps the rows in sight as they are on the server: at most 100 of them are read again each quarter of a second. New records never push
 * what one reads: they are counted until the reader wants to see them.
 */
export function useLiveList(organization: string, kind: Kind) {
  const client = useQueryClient()
  const visible = useRef<ReadonlySet<string>>(new Set())
  const waiting = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const refresh = async () => {
    timer.current = undefined
    const ids = [...waiting.current].slice(0, mostIds)
    for (const id of ids) waiting.current.delete(id)
    if (waiting.current.size > 0) timer.current = setTimeout(() => void refresh(), pause)
    replaceRows(client, organization, kind, await findRecords(organization, kind, ids))
  }
  const { singular } = kindFacts[kind]
  useLive(organization, message => {
    if (message.type === 'reset') return void client.invalidateQueries({ queryKey: rowsKey(organization, kind) })
    if (message.type !== 'change' || message.change.resourceType !== singular) return
    const { operation, resourceId } = message.change
    if (operation === 'deleted' || operation === 'anonymized') return dropRow(client, organization, kind, resourceId)
    if (operation === 'created') return setAdded(ids => new Set([...ids, resourceId].slice(-10_000)))
    if (!visible.current.has(resourceId)) return
    waiting.current.add(resourceId)
    timer.current ??= setTimeout(() => void refresh(), pause)
  })
  const note = useCallback((ids: readonly string[]) => {
    visible.current = new Set(ids)
  }, [])
  return {
    added,
    forget: (id: string) => setAdded(ids => new Set([...ids].filter(one => one !== id))),
    clear: () => setAdded(new Set()),
    note,
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { sentenceOf } from '../api/index.ts'
import { showToast, type Toast } from '../components/index.ts'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** Where the parts of a record are kept: its items, checklists and files. */
export function partsKey(organization: string, kind: Kind, id: string): readonly string[] {
  return ['parts', organization, kind, id]
}

/** Reads a record and its parts again: the version of the record grows with that of its parts. */
export function usePartRefresh(kind: Kind, id: string): () => Promise<void> {
  const { organization } = useWorkspace()
  const client = useQueryClient()
  return () => {
    // The list that the record stands beside shows what was changed here, also when it is closed by then.
    void client.invalidateQueries({ queryKey: ['sheet', organization.id, kind, id], refetchType: 'all' })
    void client.invalidateQueries({ queryKey: ['history', organization.id, kind, id] })
    return client.invalidateQueries({ queryKey: partsKey(organization.id, kind, id) })
  }
}

/**
 * Makes the changes of a record's parts one after the other, and reads the parts again after each, so that the next one has the versions
 * that this one has left. What is refused is said in a toast, with `again` as what to do about it. The
 * promise tells whether the change was made.
 */
export function usePartChanges(kind: Kind, id: string) {
  const { showing } = useWorkspace()
  const refresh = usePartRefresh(kind, id)
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const make = async (change: () => Promise<unknown>, again: Toast['action']): Promise<boolean> => {
    try {
      await change()
      return true
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words), ...(again !== undefined && { action: again }) })
      return false
    } finally {
      await refresh()
    }
  }
  return (change: () => Promise<unknown>, again?: Toast['action']): Promise<boolean> => {
    const done = last.current.then(() => make(change, again))
    last.current = done
    return done
  }
}

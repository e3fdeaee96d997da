import { useEffect, useRef } from 'react'

interface Row {
  readonly id: string
}

/**
 * Removes a row and leads the focus that goes with it on: to the row in its place, else to the last one. `focus` is called with that row, or
 * with undefined where none is left, when the list is drawn without the removed one, and only where nothing else has the focus by then.
 */
export function useRemovalFocus(rows: readonly Row[], focus: (neighbor: Row | undefined) => void) {
  const removed = useRef<{ readonly id: string; readonly place: number }>(undefined)
  useEffect(() => {
    const { id, place = 0 } = removed.current ?? {}
    if (id === undefined || rows.some(row => row.id === id)) return
    removed.current = undefined
    if (document.activeElement === document.body) focus(rows[Math.min(place, rows.length - 1)])
  }, [rows])
  /** `remove` answers whether the row was removed. */
  return async ({ id }: Row, remove: () => Promise<boolean>): Promise<boolean> => {
    removed.current = { id, place: rows.findIndex(row => row.id === id) }
    const isRemoved = await remove()
    if (!isRemoved) removed.current = undefined
    return isRemoved
  }
}

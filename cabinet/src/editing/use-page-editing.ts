import { useEffect } from 'react'
import { type Editing, useEditing } from './use-editing.tsx'
import { useUndo } from './use-undo.ts'

interface PageEditing {
  readonly onSaved: Parameters<typeof useEditing>[0]
  readonly mayWrite: boolean
  /** Called once, where nothing was open on the page when it went away. */
  readonly onBegin?: (editing: Editing) => void
}

/** What a page needs to edit: forms and cells, Ctrl Z, and what was open when a reload or the sign-in took the page away. */
export function usePageEditing({ onSaved, mayWrite, onBegin }: PageEditing): Editing & { readonly undo: () => void } {
  const editing = useEditing(onSaved)
  const undo = useUndo(editing)
  useEffect(() => {
    if (mayWrite && !editing.reopen()) onBegin?.(editing)
    // Once, when the page is shown.
  }, [])
  return { ...editing, undo }
}

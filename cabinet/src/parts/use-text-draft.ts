import { useState } from 'react'
import { useMe } from '../shell/use-me.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** What was typed before, and is not saved yet. */
interface TextDraft {
  /** Whether there was something when the field was shown. */
  readonly isThere: boolean
  readonly forget: () => void
}

/**
 * A text that is typed on a page, and how to change it. What differs from the `initial` text stays in the tab until it is saved or given up,
 * so that a reload loses nothing.
 */
export function useTextDraft(name: string, initial = ''): [string, (text: string) => void, TextDraft] {
  const { organization } = useWorkspace()
  const { user } = useMe()
  const key = `crm-draft/${user.id}/${organization.id}/${name}`
  const [begun] = useState(() => ({ initial, kept: sessionStorage.getItem(key) }))
  const [typed, setTyped] = useState(begun.kept ?? initial)
  const forget = () => sessionStorage.removeItem(key)
  const type = (text: string) => {
    setTyped(text)
    if (text === begun.initial) return forget()
    try {
      sessionStorage.setItem(key, text)
    } catch {
      // The store is full; the field still holds what was typed.
    }
  }
  return [typed, type, { isThere: begun.kept !== null, forget }]
}

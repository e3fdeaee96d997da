import { useState } from 'react'
import { useMe } from '../shell/use-me.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** A text that is typed on a page. It stays in the tab until it is sent, so that a reload loses nothing. */
export function useTextDraft(name: string): [string, (text: string) => void] {
  const { organization } = useWorkspace()
  const { user } = useMe()
  const key = `crm-draft/${user.id}/${organization.id}/${name}`
  const [typed, setTyped] = useState(() => sessionStorage.getItem(key) ?? '')
  const type = (text: string) => {
    setTyped(text)
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
  return [typed, type]
}

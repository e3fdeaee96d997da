import { Check } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from 'react-aria-components'

/** A line about what was just done, with one thing to do about it. */
export interface Toast {
  readonly text: string
  readonly action?: { readonly text: string; readonly onPress: () => void }
}

/** Long enough to read it and to reach its button by keyboard. */
const shownMilliseconds = 10_000
const listeners = new Set<() => void>()
let current: Toast | null = null

/** Says what was done. The next one takes its place. */
export function showToast(toast: Toast): void {
  change(toast)
}

/** Takes away what is said. */
export function dismissToast(): void {
  change(null)
}

function change(next: Toast | null): void {
  current = next
  for (const listen of listeners) listen()
}

/** The place of toasts: one for all pages. */
export function Toasts() {
  const toast = useSyncExternalStore(
    listen => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    () => current,
  )
  useEffect(() => {
    if (toast === null) return undefined
    const timer = setTimeout(dismissToast, shownMilliseconds)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <div role="status" className="toasts">
      {toast === null ? null : (
        <div className="toast">
          <Check className="icon" />
          {toast.text}
          {toast.action === undefined ? null : (
            <Button
              onPress={() => {
                toast.action?.onPress()
                dismissToast()
              }}
            >
              {toast.action.text}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

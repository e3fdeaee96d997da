import { useSyncExternalStore } from 'react'

const remembered = 'crm-single-keys'
const listeners = new Set<() => void>()

/** Whether keys without Ctrl do something, such as `c` and `g`. A screen reader or dictation may need them for itself. */
export function singleKeysAreOn(): boolean {
  return localStorage.getItem(remembered) !== 'off'
}

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(remembered, on ? 'on' : 'off')
  for (const listen of listeners) listen()
}

/** The same for a component, which is drawn anew when it changes. */
export function useSingleKeys(): boolean {
  return useSyncExternalStore(listen => {
    listeners.add(listen)
    return () => listeners.delete(listen)
  }, singleKeysAreOn)
}

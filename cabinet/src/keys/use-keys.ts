import { useEffect, useRef } from 'react'
import { singleKeysAreOn } from '../preferences/index.ts'
import { type Chord, chordsOf, isPressed } from './chord.ts'

/** What keys do on a page. */
export interface KeyBinding {
  /** `c`, `g c` one after the other, `Ctrl K`, `Escape`, `?`. */
  readonly keys: string
  /** What it does, for the list of keys. */
  readonly text: string
  readonly run: () => void
  /** Also while a field has the focus. Never for single letters. */
  readonly isInFields?: boolean
}

interface Registered extends KeyBinding {
  readonly chords: readonly Chord[]
}

/** How long the second key of two may take. */
const sequenceMilliseconds = 1200

/** Later ones go first: what is in front of the page decides. */
const registered: { current: readonly Registered[] }[] = []
let begun: { readonly event: KeyboardEvent; readonly at: number } | null = null

/** Listens to keys while the component is shown. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const place = useRef<readonly Registered[]>([])
  useEffect(() => {
    place.current = bindings.map(binding => ({ ...binding, chords: chordsOf(binding.keys) }))
  })
  useEffect(() => {
    registered.push(place)
    if (registered.length === 1) window.addEventListener('keydown', listen)
    return () => {
      registered.splice(registered.indexOf(place), 1)
      if (registered.length === 0) window.removeEventListener('keydown', listen)
    }
  }, [])
}

/** All that keys do now, for the list of keys. */
export function currentKeys(): readonly KeyBinding[] {
  return registered.flatMap(({ current }) => current)
}

function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return
  const before = begun !== null && event.timeStamp - begun.at < sequenceMilliseconds ? begun.event : null
  begun = null
  const isInField = takesText(event.target)
  const isBehindDialog = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
  const all = registered.toReversed().flatMap(({ current }) => current)
  const bindings = all.filter(({ isInFields = false, chords }) => {
    if (isInField && !isInFields) return false
    if (isBehindDialog && !isInFields) return false
    return singleKeysAreOn() || chords.some(({ isSingle }) => !isSingle)
  })
  const match =
    bindings.find(({ chords: [first, second] }) =>
      second === undefined ? false : before !== null && isPressed(first, before) && isPressed(second, event),
    ) ?? bindings.find(({ chords: [first, second] }) => second === undefined && isPressed(first, event))
  if (match !== undefined) {
    event.preventDefault()
    match.run()
  } else if (bindings.some(({ chords: [first, second] }) => second !== undefined && isPressed(first, event))) {
    begun = { event, at: event.timeStamp }
  }
}

/** Whether what has the focus takes letters for itself. */
function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'range', 'button'].includes(target.type)
  return (
    target.isContentEditable ||
    target.matches('textarea, select, [role="spinbutton"], [role="menu"] *, [role="listbox"] *')
  )
}

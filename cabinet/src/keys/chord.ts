/** Keys that are pressed together. */
export interface Chord {
  readonly key: string
  readonly isWithControl: boolean
  readonly isWithAlt: boolean
  /** A key that writes a character, without Ctrl or Alt. */
  readonly isSingle: boolean
}

/** What a press of a key tells. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** Reads `Ctrl K`, `Alt ArrowUp`, `g c`: keys together behind a modifier, or one after the other. */
export function chordsOf(keys: string): Chord[] {
  const words = keys.split(' ')
  const isWithControl = words[0] === 'Ctrl'
  const isWithAlt = words[0] === 'Alt'
  const pressed = isWithControl || isWithAlt ? words.slice(1, 2) : words
  return pressed.map(key => ({
    key,
    isWithControl,
    isWithAlt,
    isSingle: key.length === 1 && !isWithControl && !isWithAlt,
  }))
}

/**
 * Whether a press is that chord. Cmd is as good as Ctrl. On a keyboard without Latin letters the key is known by its place: what is `c` on
 * an English keyboard writes another letter on a Russian one.
 */
export function isPressed(chord: Chord | undefined, press: KeyPress): boolean {
  if (chord === undefined) return false
  const { key, isWithControl, isWithAlt } = chord
  if ((press.ctrlKey || press.metaKey) !== isWithControl || press.altKey !== isWithAlt) return false
  if (press.key.toLowerCase() === key.toLowerCase()) return true
  const isLatin = /^[\p{Script=Latin}\p{N}\p{P}\p{S}]$/u.test(press.key)
  return !isLatin && press.key.length === 1 && press.code === `Key${key.toUpperCase()}`
}

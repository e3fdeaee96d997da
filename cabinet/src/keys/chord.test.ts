import { describe, expect, it } from 'vitest'
import { chordsOf, isPressed, type KeyPress } from './chord.ts'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: `Key${key.toUpperCase()}`,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
})
const [c] = chordsOf('c')
const [ctrlK] = chordsOf('Ctrl K')

describe('a press of a key', () => {
  it('is the key that it writes', () => {
    expect(isPressed(c, press('c'))).toBe(true)
    expect(isPressed(c, press('d'))).toBe(false)
  })

  it('is the key at that place where the keyboard writes no Latin letters', () => {
    expect(isPressed(c, press('с', { code: 'KeyC' }))).toBe(true)
    expect(isPressed(c, press('j', { code: 'KeyC' }))).toBe(false)
  })

  it('needs its modifier and no other one', () => {
    expect(isPressed(ctrlK, press('k', { ctrlKey: true }))).toBe(true)
    expect(isPressed(ctrlK, press('k', { metaKey: true }))).toBe(true)
    expect(isPressed(ctrlK, press('k'))).toBe(false)
    expect(isPressed(c, press('c', { ctrlKey: true }))).toBe(false)
    expect(isPressed(c, press('c', { altKey: true }))).toBe(false)
  })
})

describe('the notation of keys', () => {
  it('tells keys one after the other from keys together', () => {
    expect(chordsOf('g c').map(({ key }) => key)).toEqual(['g', 'c'])
    expect(chordsOf('Ctrl K')).toEqual([{ key: 'K', isWithControl: true, isWithAlt: false, isSingle: false }])
  })
})

import { escapeAtEnd } from './escapes.ts'

/**
 * A text as UTF-16 code units, normalized so that a secret is found in every spelling: without letter case, with one of the two Base64
 * alphabets, and with a space for the `+` of a form.
 */
export interface NormalForm {
  readonly length: number
  readonly units: Uint16Array
  /** The start and end of each unit in the text. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Which escapes of JSON, HTML and percent-encoding are resolved: none, those of the text, or also escapes that these produce. */
export type Resolved = 'none' | 'once' | 'all'

/** The time is proportional to the length of the text, because each escape makes the form shorter. */
export function normalForm(text: string, resolved: Resolved): NormalForm {
  const units = new Uint16Array(text.length)
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let length = 0
  // The earliest position at which an escape can begin.
  let floor = 0
  for (let at = 0; at < text.length; at += 1) {
    units[length] = folded(text.charCodeAt(at))
    starts[length] = at
    ends[length] = at + 1
    length += 1
    if (resolved === 'none') continue
    for (let escape = escapeAtEnd(units, floor, length); escape !== null; escape = escapeAtEnd(units, floor, length)) {
      length -= escape.length
      for (let index = 0; index < escape.text.length; index += 1) {
        units[length] = folded(escape.text.charCodeAt(index))
        ends[length] = at + 1
        length += 1
      }
      if (resolved === 'once') floor = length
    }
  }
  return { length, units, starts, ends }
}

function folded(unit: number): number {
  if (unit === 0x20 || unit === 0x2d) return 0x2b
  if (unit === 0x5f) return 0x2f
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit
  return String.fromCharCode(unit).toLowerCase().charCodeAt(0)
}

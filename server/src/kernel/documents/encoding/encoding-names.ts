import { TextDecoder } from 'node:util'

/** The name of an encoding, as `encodingNamed` returns it. */
export type Encoding = string

/** Encodings that old programs still write and that the WHATWG Encoding Standard leaves out: code pages of DOS, and two others. */
const codePages = /^(?:ibm|cp)(437|737|775|850|852|855|857|858|860|861|862|863|865|869)$/u
const others = ['iso-8859-16', 'x-mac-ce']

/**
 * The name of the encoding that a label stands for: the labels of the WHATWG Encoding Standard, such as `latin1` for `windows-1252`, and a
 * few more. Case and blanks around it do not matter. Null for an unknown label.
 */
export function encodingNamed(label: string): Encoding | null {
  const wanted = label.trim().toLowerCase()
  const page = codePages.exec(wanted)?.[1]
  if (page !== undefined) return `ibm${page}`
  if (others.includes(wanted)) return wanted
  try {
    return new TextDecoder(wanted).encoding
  } catch {
    return null
  }
}

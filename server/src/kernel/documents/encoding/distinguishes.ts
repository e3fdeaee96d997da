import { decode } from './decoder.ts'
import type { Encoding } from './encoding-names.ts'

/**
 * Returns a test for texts that would be others in another encoding: texts with a character whose byte means another one there. Characters
 * of several bytes count as such, and so does every character beyond ASCII if there is no other encoding.
 */
export function distinguishes(encoding: Encoding, other: Encoding | null): (text: string) => boolean {
  const same = new Set<string>()
  for (let byte = 0x80; byte <= 0xff && other !== null; byte += 1) {
    const character = decode(Buffer.of(byte), encoding)
    if (character === decode(Buffer.of(byte), other)) same.add(character)
  }
  return text => {
    for (const character of text) if (character > '\u007F' && !same.has(character)) return true
    return false
  }
}

import { hash, randomFillSync } from 'node:crypto'
import { V7Generator } from 'uuidv7'
import { limits } from '../limits/limits.ts'
import { codePoints, isBlank } from './text.ts'

/** An external key of a record in examples, as an integrator's application would have it. */
export const exampleExternalId = 'A-1042'

/** An id below all others: iteration over ids begins here. */
export const beforeAllIds = '00000000-0000-0000-0000-000000000000'

/** The least id of this time, in milliseconds: every id made then or later is greater. */
export function firstIdAt(milliseconds: number): string {
  const time = Math.max(0, Math.trunc(milliseconds)).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

export function isUuid(text: string): boolean {
  return uuidForm.test(text)
}

/** Random numbers are requested a thousand at a time: requesting a few from the system costs more than the rest of making an id. */
const randomNumbers = new Uint32Array(1024)
let taken = randomNumbers.length

const generator = new V7Generator({
  nextUint32() {
    if (taken === randomNumbers.length) {
      randomFillSync(randomNumbers)
      taken = 0
    }
    const number = randomNumbers[taken] ?? 0
    taken += 1
    return number
  },
})

/** A new identifier. Integrators treat it as opaque. With version 7, insertions into an index are at its end. */
export function newId(): string {
  return generator.generate().toString()
}

const chosenIdPattern = /^[A-Za-z0-9._:-]{1,100}$/u

/** The form of ids that clients choose, in words. */
export const chosenIdForm = '1 to 100 letters, digits and . _ : - are expected'

/** JSON Schema of an id that a client chooses (contract section 13). */
export const chosenIdSchema = { type: 'string', pattern: chosenIdPattern.source, maxLength: 100, example: 'tea-pot-1' }

export function isChosenId(text: string): boolean {
  return chosenIdPattern.test(text)
}

/**
 * The id of a record that its client named inside another record: always the same UUID (version 8, by SHA-256), so that the record is
 * found, locked and created like any other.
 */
export function namedId(parentId: string, name: string): string {
  const digest = hash('sha256', `${parentId}\0${name}`, 'hex')
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

const controls = /[\p{Cc}]/u

/**
 * Whether a text can be an `externalId`: 1 to 200 code points, at least one of them visible, without control characters
 * and outer space. It is compared byte for byte.
 */
export function isExternalId(text: string): boolean {
  const clean = !isBlank(text) && text.trim() === text && !controls.test(text)
  return clean && codePoints(text) <= limits.externalIdLength
}

/** A 64-bit number for an advisory lock, as text, because a JavaScript number cannot represent it. */
export function lockNumber(...parts: string[]): string {
  return hash('sha256', `${parts.join('\0')}\0`, 'buffer')
    .readBigInt64BE(0)
    .toString()
}

import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { limits } from '../limits/limits.ts'
import { codePoints, isBlank } from './text.ts'

/** What documentation calls a record by, as a key of the reader's application. */
export const exampleExternalId = 'A-1042'

/** No id comes before it: a walk along ids begins here. */
export const beforeAllIds = '00000000-0000-0000-0000-000000000000'

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

export function isUuid(text: string): boolean {
  return uuidForm.test(text)
}

/** A new identifier. Integrators treat it as opaque. Version 7 keeps insertions into an index at one place. */
export function newId(): string {
  return uuidv7()
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

/** A 64-bit number for an advisory lock. It is a text, because a JavaScript number cannot hold it. */
export function lockNumber(...parts: string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest().readBigInt64BE(0).toString()
}

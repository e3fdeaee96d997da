import { codeLength, passwordLength } from '../../../people/index.ts'

// Members that several bodies have.

export const emailSchema = { type: 'string', minLength: 1, maxLength: 254 }
export const shortNameSchema = { type: 'string', pattern: '\\S', maxLength: 200 }
/** Any length that the hash may see; what a new password needs is told apart. */
export const passwordSchema = { type: 'string', minLength: 1, maxLength: 2 * passwordLength.most }
export const codeSchema = { type: 'string', minLength: 1, maxLength: codeLength }

/** A text that may be left out. */
export function textOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

import type { Field } from '../field.ts'

interface SecretTextOptions {
  readonly most: number
  readonly description: string
  readonly example: string
}

/**
 * A secret that the server must read again. Requests set it, null removes it, and no answer contains it. It is stored encrypted for its
 * record. Another field says whether there is one.
 */
export function secretText({ most, description, example }: SecretTextOptions): Field<string | null> {
  return {
    column: 'text',
    input: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: most,
      pattern: String.raw`^[^\x00-\x1f\x7f-\x9f]*$`,
      writeOnly: true,
    },
    output: {},
    initial: null,
    isSecret: true,
    description,
    example,
    // The default message of a pattern does not help here, and no message may quote the secret.
    explain: ({ rule }) => (rule === 'pattern' ? 'A secret has no control characters' : undefined),
  }
}

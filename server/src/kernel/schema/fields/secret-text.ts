import type { Field } from '../field.ts'

interface SecretTextOptions {
  readonly most: number
  readonly description: string
  readonly example: string
}

/**
 * A text that others entrust to the server, which has to read it again: requests set it, null removes it, no answer has it. It
 * is stored encrypted for its record. Whether there is one is told by another field.
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
    // The usual message of a pattern is no help here, and none must quote what was sent.
    explain: ({ rule }) => (rule === 'pattern' ? 'A secret has no control characters' : undefined),
  }
}

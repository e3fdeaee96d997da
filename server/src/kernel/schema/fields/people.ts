import { violates } from '../../errors/index.ts'
import type { Field } from '../field.ts'
import { optionalUuidSchema } from '../uuid.ts'

/** An active operator of the organization, or null; 422 otherwise. Not protected: it is a business field. */
export function optionalOperator(description: string): Field<string | null> {
  return {
    column: 'uuid',
    namesSettings: ['operator'],
    input: optionalUuidSchema,
    initial: null,
    description,
    accept(value, previous, { configuration, path }) {
      if (typeof value !== 'string') return null
      const uuid = value.toLowerCase()
      if (uuid === previous) return uuid
      return configuration.operators.get(uuid)?.isActive
        ? uuid
        : violates(path, 'operator', 'Not an active operator of the organization: see directories.operators')
    },
  }
}

/** When the record was anonymized; null if it was not. Answers never contain it, because they are 410 then. */
export const anonymizedAt: Field<string | null> = {
  role: 'anonymizedAt',
  column: 'timestamptz',
  output: {},
  initial: null,
  present: () => ({}),
}

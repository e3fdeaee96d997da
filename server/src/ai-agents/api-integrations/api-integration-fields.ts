import type { StateOf } from '../../kernel/index.ts'
import {
  choice,
  computed,
  type Field,
  flag,
  optionalText,
  requiredText,
  secretText,
} from '../../kernel/schema/index.ts'
import { auth } from './auth-field.ts'
import { headers } from './headers-field.ts'
import { parameters } from './parameters-field.ts'
import { wrongUrl } from './placeholders.rules.ts'

const method = choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], {
  component: 'ApiIntegrationMethod',
  initial: 'GET',
  example: 'GET',
  description: 'The method of the call.',
})

const url: Field<string> = {
  column: 'text',
  input: {
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    documented: { pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]://[^\s\\#]+$` },
  },
  requiredOnCreate: true,
  initial: '',
  description: 'An https address. Its path and its query may have parameters in braces; its host is always the same.',
  example: 'https://api.example.com/orders/{orderNumber}',
  tidy: value => (typeof value === 'string' ? value.trim() : value),
  inspect: (value, path) => {
    const message = typeof value === 'string' ? wrongUrl(value) : null
    return message === null ? [] : [{ path, rule: 'format', message }]
  },
}

const timeoutSeconds: Field<number> = {
  column: 'integer',
  input: { type: 'integer', minimum: 1, maximum: 30 },
  initial: 10,
  description: 'How long a call may take, until the whole answer has come.',
  example: 10,
}

/** Also shows whether a secret is set. */
const secretUpdatedAt: Field<string | null> = {
  ...computed<string | null>(null, { column: 'timestamptz', schema: {} }),
  output: {
    hasSecret: { type: 'boolean', description: 'Whether there is a secret.', example: true },
    secretUpdatedAt: { type: ['string', 'null'], format: 'date-time', description: 'When the secret was set.' },
  },
  present: at => ({ hasSecret: at !== null, secretUpdatedAt: at }),
}

/** What an API integration holds (contract section 13.2). */
export const apiIntegrationFields = {
  name: requiredText({
    max: 64,
    pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,63}$',
    description: 'What the model calls it by; unique in the organization.',
    example: 'find_order',
  }),
  description: requiredText({
    max: 1000,
    description: 'What the model reads to know when to call it.',
    example: 'Finds an order by its number and tells where it is.',
  }),
  method: { ...method, requiredOnCreate: true },
  url,
  parameters,
  headers,
  auth,
  secret: secretText({
    most: 4096,
    description:
      'The token, password or key of auth. No answer has it. A change of the host of url, or of auth.type, removes it unless it ' +
      'is sent along.',
    example: 'a-secret-of-the-other-system',
  }),
  bodyTemplate: optionalText({
    max: 10_000,
    keepSpace: true,
    description:
      'The body of a call, with parameters of the body in braces; other texts in braces stay. Without it these parameters are ' +
      'sent as a JSON object.',
    example: null,
  }),
  timeoutSeconds,
  enabled: flag(true, 'Agents call only what is enabled.'),
  secretUpdatedAt,
}

export type ApiIntegrationState = StateOf<typeof apiIntegrationFields>

import { type Field, type Issue, isObject, wordSchema, wrongHeaderName } from '../../kernel/schema/index.ts'
import type { Auth } from './api-integration.rules.ts'

const type = wordSchema(
  'ApiIntegrationAuthType',
  ['none', 'bearer', 'basic', 'api_key'],
  'What is done with the secret: `bearer` sends it as `Authorization: Bearer`, `basic` as the password of `username`, ' +
    '`api_key` as the header `headerName`.',
  'bearer',
)
const headerName = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 100,
  description: 'Of `api_key`; `X-Api-Key` unless given.',
}
const username = { type: ['string', 'null'], maxLength: 200, description: 'Of `basic`; empty unless given.' }
const properties = {
  type,
  headerName: { ...headerName, example: null },
  username: { ...username, example: null },
}

/** How a call authenticates. PATCH replaces the whole object. */
export const auth: Field<Auth> = {
  column: 'jsonb',
  input: {
    component: 'ApiIntegrationAuthInput',
    type: 'object',
    required: ['type'],
    properties,
    additionalProperties: false,
  },
  output: { '': { component: 'ApiIntegrationAuth', type: 'object', properties, additionalProperties: false } },
  initial: { type: 'none', headerName: null, username: null },
  description: 'How a call proves who makes it. A request replaces the whole object.',
  example: { type: 'bearer', headerName: null, username: null },
  inspect: (value, path) => wrongAuth(declaredAuth(value), value, path),
  accept: declaredAuth,
}

/** The auth object of a validated request, with defaults for absent members. */
export function declaredAuth(value: unknown): Auth {
  const { type, headerName, username } = isObject(value) ? value : {}
  switch (type) {
    case 'bearer':
      return { type, headerName: null, username: null }
    case 'basic':
      return { type, headerName: null, username: typeof username === 'string' ? username : '' }
    case 'api_key':
      return { type, headerName: typeof headerName === 'string' ? headerName : 'X-Api-Key', username: null }
    default:
      return { type: 'none', headerName: null, username: null }
  }
}

function wrongAuth({ type, headerName, username }: Auth, given: unknown, path: string): Issue[] {
  const sent = isObject(given) ? given : {}
  const issues: Issue[] = []
  if (typeof sent.headerName === 'string' && type !== 'api_key')
    issues.push({ path: `${path}/headerName`, rule: 'auth_type', message: 'Only api_key has a header of its own' })
  if (typeof sent.username === 'string' && type !== 'basic')
    issues.push({ path: `${path}/username`, rule: 'auth_type', message: 'Only basic has a user name' })
  const wrongName = headerName === null ? null : wrongHeaderName(headerName)
  if (wrongName !== null) issues.push({ path: `${path}/headerName`, rule: 'header', message: wrongName })
  if (username !== null && /[:\p{Cc}]/u.test(username))
    issues.push({
      path: `${path}/username`,
      rule: 'format',
      message: 'A user name has no colon and no control characters',
    })
  return issues
}

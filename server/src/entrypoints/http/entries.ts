import {
  type Call,
  type Conventions,
  crmConventions,
  deprecationHeaders,
  type Entry,
  externalConventions,
} from '../../kernel/index.ts'
import { authenticate } from './authenticate.ts'

/** A part of the HTTP API. Requests below its prefix that lead to no operation are answered by its conventions too. */
export interface HttpEntry extends Entry<Call> {
  readonly conventions: Conventions
}

function apiBelow(prefix: string, conventions: Conventions): HttpEntry {
  return {
    prefix,
    conventions,
    authenticate,
    rateBucket: ({ method }) => (method === 'GET' ? 'read' : 'write'),
    headers: ({ deprecation }) => deprecationHeaders(deprecation),
  }
}

const crm = apiBelow('/api/v1/crm', crmConventions)
const others = [
  apiBelow('/api/v1/external', externalConventions),
  apiBelow('/api/v1/ai-agents/external', externalConventions),
]

/** The entry below whose prefix a path lies; that of the CRM for all other paths. */
export function entryAt(path: string): HttpEntry {
  const [address = ''] = path.split('?')
  return others.find(({ prefix }) => address === prefix || address.startsWith(`${prefix}/`)) ?? crm
}

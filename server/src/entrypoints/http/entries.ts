import {
  type Call,
  type Conventions,
  crmConventions,
  deprecationHeaders,
  type Entry,
  externalConventions,
  type Operation,
} from '../../kernel/index.ts'
import { authenticate } from './authenticate.ts'

/** A part of the HTTP API. Requests below its prefix that match no operation are answered in its format too. */
export interface HttpEntry extends Entry<Call> {
  readonly conventions: Conventions
}

const api = {
  authenticate,
  rateBucket: ({ method }: Operation) => (method === 'GET' ? 'read' : 'write'),
  headers: ({ deprecation }: Operation) => deprecationHeaders(deprecation),
} as const

const crm: HttpEntry = { ...api, prefix: '/api/v1/crm', conventions: crmConventions }
const others: readonly HttpEntry[] = [
  { ...api, prefix: '/api/v1/external', conventions: externalConventions },
  { ...api, prefix: '/api/v1/ai-agents/external', conventions: externalConventions },
]

/** The entry whose prefix the path has; the entry of the CRM for all other paths. */
export function entryAt(path: string): HttpEntry {
  const [address = ''] = path.split('?')
  return others.find(({ prefix }) => address === prefix || address.startsWith(`${prefix}/`)) ?? crm
}
